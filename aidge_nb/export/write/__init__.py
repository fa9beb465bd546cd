"""From an export plan to a folder of C sources."""
