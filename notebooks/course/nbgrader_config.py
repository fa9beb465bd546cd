"""How nbgrader makes the release of this course: `nbgrader generate_assignment 01_steps`.

`python -m aidge_nb.course.release source release` gives the same without nbgrader.
"""

c = get_config()  # noqa: F821  # traitlets puts it there

c.CourseDirectory.course_id = "aidge_nb"
c.ClearSolutions.code_stub = {"python": "answer = None  # your answer here"}
c.IncludeHeaderFooter.header = ""
