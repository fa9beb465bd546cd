"""``python -m aidge_nb`` is the command ``aidge-nb``."""

from aidge_nb.cli import main

raise SystemExit(main())
