"""Labels: the blocks of a network, and what is written of each name."""
