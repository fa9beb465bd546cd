#!/usr/bin/env python3
"""Installs what the tests need into a fresh virtual environment, and runs them.

    python3 .ci/test.py           what every change must pass
    python3 .ci/test.py --slow    the slow tests alone
    python3 .ci/test.py --all     both, one after the other
    python3 .ci/test.py --reuse   keep the environment of the last run (quicker, proves less)

Needs Python 3.11 and nothing else. What is not a Python package is looked for and, if missing,
named: Chromium for the browser tests (`.ci/install_chromium` gets it), Firefox and WebKit for some
of them (`.ci/install_browsers`), Node.js for the front-end, compilers and an emulator for exported
programs (`.ci/install_c_tools`).
Without them their tests do not run, which is said loudly, and is a failure when CI=true. All steps
run, whatever fails; the summary at the end and the exit code tell.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv-test"
BIN = ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin")
PYTHON = str(BIN / "python")
PYTEST = [PYTHON, "-m", "pytest", "--color=auto"]
NBSTRIPOUT = ["nbstripout", "--keep-output", "--keep-count", "--keep-id"]
NBSTRIPOUT += ["--extra-keys", "metadata.widgets"]
IN_CI = os.environ.get("CI", "").lower() in ("1", "true", "yes")
WORKERS = ["-n", str(os.cpu_count() or 1)]
PARALLEL = [*WORKERS, "--dist", "worksteal"]
BY_FILE = [*WORKERS, "--dist", "loadfile", "--no-loadscope-reorder"]
"""Servers, kernels and compiled code are made once per file; files begin in the order given."""
BUDGET = 22 * 60  # seconds for both tiers together: what is left of it is for the slow one
STEP_LIMIT = 15 * 60  # seconds: a step that hangs must not hang everything

PASSED, FAILED, NOT_RUN = "passed", "FAILED", "DID NOT RUN"


def checks():
    """Return what reads the code without running it, as (title, command)."""
    notebooks = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("notebooks/**/*.ipynb"))
    notebooks = [path for path in notebooks if ".ipynb_checkpoints" not in path]
    return [
        ("lint (ruff check)", [PYTHON, "-m", "ruff", "check", "."]),
        ("format (ruff format)", [PYTHON, "-m", "ruff", "format", "--check", "."]),
        ("types (mypy --strict)", [PYTHON, "-m", "mypy"]),
        ("notebooks hold no widget state", [PYTHON, "-m", *NBSTRIPOUT, "--verify", *notebooks]),
    ]


def front_end(npm):
    """Return the steps that check the views' TypeScript and its committed bundle."""
    return [
        ("front-end: packages", [npm, "ci", "--prefer-offline", "--no-audit", "--no-fund"]),
        ("front-end: format", [npm, "run", "--silent", "format:check"]),
        ("front-end: types", [npm, "run", "--silent", "typecheck"]),
        ("front-end: tests", [npm, "test", "--silent"]),
        ("front-end: the committed bundle is up to date", [npm, "run", "--silent", "check"]),
    ]


def quick_tests():
    """Return the first tier of tests."""
    packaging = "tests/test_packaging.py"
    quick = ["-m", "not browser and not slow"]
    notebooks = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout=300", "-W", "default"]
    notebooks += BY_FILE
    # What students get has no answers: tests/course runs it. The configuration is nbgrader's.
    notebooks += ["--ignore=notebooks/course/release", "--ignore-glob=*nbgrader_config.py"]
    return [
        (
            "unit tests and docstring examples",
            [*PYTEST, *PARALLEL, *quick, f"--ignore={packaging}"],
        ),
        ("packaging: what the wheel holds", [*PYTEST, *quick, packaging]),
        ("notebooks (nbval)", [*PYTEST, *notebooks, "notebooks"]),
    ]


def browser_tests():
    """Return the tests that need a browser; tests/conftest.py sees that all lie in `browser`."""
    folders = sorted(shown([str(path)]) for path in ROOT.glob("tests/**/browser"))
    return ("browser tests", [*PYTEST, *BY_FILE, "-m", "browser and not slow", *folders])


SLOW_FIRST = (
    "tests/browser/test_lab.py",
    "tests/browser/test_lite_tutorials.py",
    "tests/browser/drop/test_drop.py",
    "tests/browser/drop/test_refused.py",
    "tests/browser/test_lite.py",
    "tests/test_install.py",
    "tests/test_binder.py",
    "tests/export/test_tutorials.py",
    "tests/docs/test_site.py",
    "tests/export/test_fuzz.py",
    "tests/models/test_models.py",
)
"""What tells most if time runs out, and takes longest: whole ways of users, then whole models."""


def slow_tests():
    """Return the slow tests: those of the files that mark some."""
    marking = [path for path in ROOT.glob("tests/**/test_*.py") if "mark.slow" in path.read_text()]
    files = sorted(shown([str(path)]) for path in marking)
    files = [*(path for path in SLOW_FIRST if path in files), *files]
    return ("slow tests", [*PYTEST, *BY_FILE, "-m", "slow", *dict.fromkeys(files)])


class Run:
    """Runs steps one after the other and remembers how each ended."""

    def __init__(self):
        self.results = []
        self.start = time.monotonic()
        self.variables = dict(os.environ)
        for name in ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "MYPYPATH", "PYTEST_ADDOPTS"):
            self.variables.pop(name, None)  # nothing from outside may hide a missing step
        self.variables["PYTHONNOUSERSITE"] = "1"
        self.variables["VIRTUAL_ENV"] = str(ENVIRONMENT)
        self.variables["PATH"] = str(BIN) + os.pathsep + os.environ.get("PATH", os.defpath)

    def step(self, title, command):
        """Run one command under a heading; return whether it passed."""
        heading(title)
        print("$ " + shown(command), flush=True)
        start = time.monotonic()
        try:
            code = subprocess.run(
                command, cwd=ROOT, env=self.variables, timeout=STEP_LIMIT
            ).returncode
        except subprocess.TimeoutExpired:
            print(f"stopped after {STEP_LIMIT // 60} minutes", flush=True)
            code = -1
        self.results.append((title, FAILED if code else PASSED, time.monotonic() - start))
        return code == 0

    def slow(self, title, command, limit):
        """Run the slow tests for as long as there is time, and say loudly if that was too short."""
        heading(title)
        print("$ " + shown(command), flush=True)
        start, why = time.monotonic(), f"{limit:.0f} s are left, and they need more"
        result = NOT_RUN
        if limit > 60:
            try:
                ran = subprocess.run(command, cwd=ROOT, env=self.variables, timeout=limit)
                result = FAILED if ran.returncode else PASSED
            except subprocess.TimeoutExpired:
                pass
        if result == NOT_RUN:
            print(
                f"{'!' * 100}\n{title}: DID NOT END: {why}; python3 .ci/test.py --slow\n{'!' * 100}"
            )
        self.results.append((title, result, time.monotonic() - start))

    def not_run(self, title, why):
        """Say loudly that something did not run: a failure in CI."""
        heading(title)
        print(f"{'!' * 100}\n{title}: DID NOT RUN: {why}\n{'!' * 100}", flush=True)
        self.results.append((title, FAILED if IN_CI else NOT_RUN, 0.0))

    def summary(self):
        """Print how each step ended; return the exit code."""
        heading("summary")
        for title, result, seconds in self.results:
            print(f"  {result:<12} {title} ({seconds:.0f} s)")
        failed = sum(result == FAILED for _, result, _ in self.results)
        missed = sum(result == NOT_RUN for _, result, _ in self.results)
        if missed:
            print(f"{missed} did not run: this is not the whole test; see above what is missing.")
        print("FAILED" if failed else "passed", flush=True)
        return 1 if failed else 0


def heading(title):
    """Print a line that is easy to find in a long log."""
    print(f"\n{'=' * 100}\n== {title}\n{'=' * 100}", flush=True)


def shown(command):
    """Return a command line for reading: this checkout's paths are shortened."""
    line = " ".join(f'"{word}"' if " " in word else word for word in command)
    return line.replace(str(ROOT) + os.sep, "")


def install(run, reuse):
    """Make the virtual environment and install the project with all that its tests need."""
    if not (reuse and ENVIRONMENT.exists()):
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        venv = [sys.executable, "-m", "venv", str(ENVIRONMENT)]
        if not run.step("a fresh virtual environment", venv):
            print("On Debian and Ubuntu, `venv` comes with:  apt-get install python3-venv")
            return False
    # Modules are compiled when they are imported: most of what is installed never is.
    pip = [PYTHON, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check"]
    return run.step(
        "pip that knows dependency groups", [*pip, "--upgrade", "pip>=25.1"]
    ) and run.step(
        "the project with all extras and what its tests need",
        [*pip, "--editable", ".[all]", "--group", "dev"],
    )


def tools(run, script, what, whose):
    """Get what some tests want; where it lacks, that is said."""
    heading(what)
    found = subprocess.run([PYTHON, script], cwd=ROOT, env=run.variables)
    if found.returncode:
        title = f"{whose} that want the tools named above"
        print(f"{'!' * 100}\n{title}: DO NOT RUN\n{'!' * 100}", flush=True)
        run.results.append((title, NOT_RUN, 0.0))


def quick(run):
    """Run the first tier."""
    for title, command in checks():
        run.step(title, command)
    npm = shutil.which("npm")
    if npm is None:
        run.not_run("front-end", "there is no `npm`; install Node.js 20 or later")
    elif run.step(*front_end(npm)[0]):
        for title, command in front_end(npm)[1:]:
            run.step(title, command)
    for title, command in quick_tests():
        run.step(title, command)
    heading("Chromium for the browser tests")
    chromium = subprocess.run([PYTHON, ".ci/install_chromium"], cwd=ROOT, env=run.variables)
    if chromium.returncode:
        run.not_run(browser_tests()[0], "there is no Chromium; what to do is said above")
    else:
        run.step(*browser_tests())


def main():
    """Parse the command line, run, and return the exit code."""
    parser = argparse.ArgumentParser(description="Install what the tests need, and run them.")
    parser.add_argument("--slow", action="store_true", help="the slow tests alone")
    parser.add_argument("--all", action="store_true", help="the first tier, then the slow tests")
    parser.add_argument("--reuse", action="store_true", help="keep the last environment")
    options = parser.parse_args()
    if sys.version_info < (3, 11):  # noqa: UP036  # this script starts before anything is installed
        print(f"aidge_nb needs Python 3.11 or later; this is {sys.version.split()[0]}")
        return 2
    run = Run()
    if install(run, options.reuse):
        exports = "tests of exports"
        tools(run, ".ci/install_c_tools", f"compilers and emulator for the {exports}", exports)
        tools(run, ".ci/install_browsers", "Firefox and WebKit", "browser tests")
        if options.all or not options.slow:
            quick(run)
        if options.all or options.slow:
            left = BUDGET - (time.monotonic() - run.start) if options.all else 60 * 60
            run.slow(*slow_tests(), left)
    return run.summary()


if __name__ == "__main__":
    sys.exit(main())
