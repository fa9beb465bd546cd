"""Orders: sequential policies, and the order of least peak memory."""
