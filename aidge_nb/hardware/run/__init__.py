"""Run a mapped network, with one worker per processing element."""
