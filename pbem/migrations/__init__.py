"""The database's versions; `make migration` writes a new one from pbem.models."""
