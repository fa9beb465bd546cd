"""What ``import aidge_nb`` costs, as a multiple of ``import numpy``."""

from common import code, compare, show


def main() -> None:
    """Measure and print."""
    ours, numpy = code("aidge_nb", "import aidge_nb"), code("numpy", "import numpy")
    show(compare("import_time", ours, numpy, limit=1.5, pairs=21))


if __name__ == "__main__":
    main()
