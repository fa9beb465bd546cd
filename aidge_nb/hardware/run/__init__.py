"""Running a mapped network, one worker per processing element."""
