"""Live ranges: which bytes are needed, from when to when, in an order of executions."""
