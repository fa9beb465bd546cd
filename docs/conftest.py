"""The scripts here are no tests; the examples of the pages are."""

collect_ignore = ["build.py", "conf.py", "drop.py", "supplements.py"]
