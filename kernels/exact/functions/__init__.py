"""Functions of float32 numbers whose every bit is defined; C computes the same."""
