"""Why a firing runs when it does, and what the scheduler asked on the way."""
