"""The fixtures of tests/web, for a real browser."""

from tests.web.conftest import ana, bento, game, session

__all__ = ["ana", "bento", "game", "session"]
