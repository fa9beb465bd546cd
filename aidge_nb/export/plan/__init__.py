"""From a graph to an export plan: which kernel calls run, on which addresses."""
