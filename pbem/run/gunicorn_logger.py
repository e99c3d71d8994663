"""Logs gunicorn's messages with ours: `--logger-class pbem.run.gunicorn_logger.Logger`."""

from __future__ import annotations

import logging
from typing import Any

from gunicorn.glogging import Logger as Usual

from pbem import logs


class Logger(Usual):
    """Passes gunicorn's messages to our handler. The site logs requests itself."""

    def setup(self, cfg: Any) -> None:
        """Configure logging in the parent process. Its children inherit it."""
        super().setup(cfg)
        logs.configure("web")
        for log in (self.error_log, self.access_log):
            log.handlers[:] = []
        self.error_log.propagate = True
        self.error_log.setLevel(logging.WARNING)
        self.access_log.disabled = True
