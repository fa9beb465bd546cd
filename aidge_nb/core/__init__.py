"""What every room needs: errors, element types, tensors, messages, files."""
