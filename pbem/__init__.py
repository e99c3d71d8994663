"""The service. Its version stands here alone: pyproject.toml, pages and records read it."""

__version__ = "0.3.0"
