"""Results of students: a file that they make, and the command of a teacher that checks it."""
