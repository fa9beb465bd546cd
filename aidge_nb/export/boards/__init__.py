"""Where exported programs are built and run: targets, compilers, emulated boards."""
