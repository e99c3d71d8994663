"""Generated examples have no deadline: a busy machine is no failing test."""

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
