"""SVG pictures, one module per panel."""
