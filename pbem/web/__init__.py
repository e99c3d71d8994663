"""Serves the pages and the API: blueprints translate requests and call the rest of pbem."""
