"""The modules that stand in for Aidge's packages, one file each."""
