"""Files of other tools, as they wrote them; ORIGIN.md says how."""

from pathlib import Path

SAMPLES = Path(__file__).parent
