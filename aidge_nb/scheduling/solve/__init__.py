"""Finding a schedule: which nodes fire, in which order, in which loops."""
