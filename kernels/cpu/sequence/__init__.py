"""Control flow and sequences of tensors."""
