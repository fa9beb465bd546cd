"""Static pictures of scenes: SVG, PNG, HTML, Mermaid, CSV, traces."""
