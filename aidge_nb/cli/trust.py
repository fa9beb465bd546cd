"""Trust the shipped tutorials, so that JupyterLab shows all of their saved outputs.

JupyterLab keeps signatures of the notebooks that it may trust. A tutorial is signed when it is,
byte for byte, the file of the installed package; a notebook that anybody has changed is left alone.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from aidge_nb.core.log import logger


def trust_tutorials(folder: Path, sources: Path) -> list[Path]:
    """Sign the unchanged tutorials of a folder, and return those that are trusted.

    Parameters
    ----------
    folder
        Where the copies are. Nothing is signed when it is ``sources`` itself, as in a checkout:
        there is nothing to compare with.
    sources
        The tutorials of the package.

    Returns
    -------
    list of Path
        Empty where the signatures cannot be written.
    """
    if folder.resolve() == sources.resolve():
        return []
    unchanged = {copy: text for copy, text in _copies(folder, sources) if text is not None}
    try:
        return _sign(unchanged)
    except (ImportError, OSError, sqlite3.Error) as error:
        logger.info("tutorials are not trusted: %s", error)
        return []


def _copies(folder: Path, sources: Path) -> list[tuple[Path, str | None]]:
    """Return each copy with its text, or with None where it differs from its source."""
    found: list[tuple[Path, str | None]] = []
    for source in sorted(sources.rglob("*.ipynb")):
        copy = folder / source.relative_to(sources)
        if ".ipynb_checkpoints" not in source.parts and copy.is_file():
            data = copy.read_bytes()
            found.append((copy, data.decode() if data == source.read_bytes() else None))
    return found


def _sign(notebooks: dict[Path, str]) -> list[Path]:
    """Sign notebooks with Jupyter's own key, as ``jupyter trust`` does."""
    import nbformat
    from nbformat.sign import TrustNotebookApp

    app = TrustNotebookApp()
    app.initialize([])  # its configuration says where key and signatures are
    Path(app.data_dir).mkdir(parents=True, exist_ok=True)  # on the first use of Jupyter
    trusted = []
    with app.notary as notary:
        for path, text in notebooks.items():
            notebook = nbformat.reads(text, nbformat.NO_CONVERT)  # type: ignore[no-untyped-call]  # theirs
            if not notary.check_signature(notebook):
                notary.sign(notebook)
            trusted.append(path)
    return trusted
