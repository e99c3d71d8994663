"""Templates compiled once for all the apps that tests build: most of a first page's time."""

from __future__ import annotations

from types import CodeType

from jinja2.bccache import Bucket, BytecodeCache


class Compiled(BytecodeCache):
    """What is compiled, in the memory of the process, by language, name and source."""

    def __init__(self) -> None:
        self._code: dict[tuple[str, str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._code.get(name_of(bucket))

    def dump_bytecode(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self._code[name_of(bucket)] = bucket.code


def name_of(bucket: Bucket) -> tuple[str, str, str]:
    """What tells one compiled template from all others."""
    return getattr(bucket.environment, "language", ""), bucket.key, bucket.checksum
