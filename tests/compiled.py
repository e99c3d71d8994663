"""Templates and routes compiled once for all the apps that tests build: most of a page's time."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any

from jinja2.bccache import Bucket, BytecodeCache
from werkzeug.routing import Rule


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


Builder = Callable[..., tuple[str, str]]
_builders: dict[tuple[str, tuple[tuple[bool, str], ...], bool], Builder] = {}


class KnownRule(Rule):
    """A route whose builder of addresses is compiled once for all routes of the same text.

    What is compiled finds all else, as converters, in the route that it is bound to.
    """

    def _compile_builder(self, append_unknown: Any = True) -> Builder:
        if self.defaults:
            return super()._compile_builder(append_unknown)
        known = (self.rule, tuple(self._trace), bool(append_unknown))
        if known not in _builders:
            _builders[known] = super()._compile_builder(append_unknown)
        return _builders[known]
