"""The command ``aidge-nb course``: keys, tickets, results, assignments and slides."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from aidge_nb.cli.text import complain, say
from aidge_nb.core.errors import AidgeError
from aidge_nb.core.files import write_atomically
from aidge_nb.core.text import csv_text


def add_course_options(command: argparse.ArgumentParser) -> None:
    """Add the commands of a course to the parser."""
    actions = command.add_subparsers(title="what to do", required=True, metavar="ACTION")
    key = actions.add_parser("key", help="write a new key of a teacher")
    key.add_argument("file", metavar="FILE", help="where to write it; keep it to yourself")
    key.set_defaults(course_action=_key)
    tickets = actions.add_parser("tickets", help="write a ticket for each name, as CSV")
    tickets.add_argument("names", metavar="NAMES", help="a file with one name a line")
    tickets.set_defaults(course_action=_tickets)
    results = actions.add_parser("results", help="check result files, and write scores as CSV")
    results.add_argument("files", metavar="FILE", nargs="+", help="result files of students")
    results.add_argument("--tasks", metavar="N", nargs="+", default=[], help="tasks that count")
    results.add_argument(
        "--ideas", action="store_true", help="count misconceptions instead of points"
    )
    results.set_defaults(course_action=_results)
    assignment = actions.add_parser("assignment", help="write tasks as a notebook of nbgrader")
    assignment.add_argument("tasks", metavar="TASK", nargs="+", help="as in 1 2.3: units or tasks")
    assignment.add_argument("--points", type=int, default=1, help="points of each task")
    assignment.set_defaults(course_action=_assignment)
    slides = actions.add_parser("slides", help="make slides of notebooks")
    slides.add_argument("notebooks", metavar="FILE", nargs="*", help="by default all tutorials")
    slides.add_argument(
        "-o", "--output", metavar="FOLDER", default="slides", help="where to put them"
    )
    slides.add_argument("--reveal", metavar="FOLDER", help="reveal.js, to be put inside")
    slides.set_defaults(course_action=_slides)
    for each in (tickets, results):
        each.add_argument("--key", metavar="FILE", required=True, help="the teacher's key")
    for each in (tickets, results, assignment):
        each.add_argument("-o", "--output", metavar="FILE", help="where to write; else it is shown")


def run_course(options: argparse.Namespace) -> None:
    """Do what is asked for."""
    options.course_action(options)


def _key(options: argparse.Namespace) -> None:
    from aidge_nb.course.results.keys import make_key

    make_key(options.file)


def _tickets(options: argparse.Namespace) -> None:
    from aidge_nb.course.results.keys import plain_name, read_key, ticket_of

    key = read_key(options.key)
    lines = map(plain_name, Path(options.names).read_text("utf-8").splitlines())
    names = list(dict.fromkeys(name for name in lines if name))
    _write(options, csv_text([("name", "ticket"), *((n, ticket_of(key, n)) for n in names)]))


def _results(options: argparse.Namespace) -> None:
    from aidge_nb.course.results.assignment import known
    from aidge_nb.course.results.grading import check_result, ideas_csv, mark_repeated, results_csv
    from aidge_nb.course.results.keys import read_key

    key, counting = read_key(options.key), known(options.tasks)
    found = [check_result(file, key) for file in options.files]
    for name in mark_repeated(found):
        complain(f"note: there is more than one file of {name}\n")
    _write(options, ideas_csv(found) if options.ideas else results_csv(found, counting))
    wrong = [each.file for each in found if each.status != "ok"]
    if wrong:
        raise AidgeError(f"not accepted: {', '.join(wrong)}; the column status says why")


def _assignment(options: argparse.Namespace) -> None:
    from aidge_nb.course.results.assignment import assignment, known

    notebook = assignment(known(options.tasks), options.points)
    _write(options, json.dumps(notebook, indent=1, sort_keys=True) + "\n")


def _slides(options: argparse.Namespace) -> None:
    from aidge_nb.course.recorded import tutorial_sources
    from aidge_nb.course.slides import slides_page

    folder = Path(options.output)
    for notebook in map(Path, options.notebooks or sorted(tutorial_sources().glob("*.ipynb"))):
        page = slides_page(notebook, options.reveal)
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / f"{notebook.stem}.html", page)
        say(f"{folder / notebook.stem}.html\n")


def _write(options: argparse.Namespace, text: str) -> None:
    if options.output:
        write_atomically(options.output, text)
    else:
        say(text)
        sys.stdout.flush()
