"""Files that are written beside the one whose place they take in the end."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def check_place(path: Path) -> None:
    """Raise OSError where something stands that is no file, as a device: it would be lost."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "is there, but is no file; it is left as it is", str(path))
