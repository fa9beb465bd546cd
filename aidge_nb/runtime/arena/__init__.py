"""Running a model in one preallocated block of bytes, at the offsets of its memory plan."""
