"""PNG pictures, painted without a library."""
