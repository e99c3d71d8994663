"""Checks the URLs of web hooks and resolves them: only public machines may be called.

A name is resolved once, all its addresses must be public, and the call connects to exactly these
addresses (pbem.hooks.post). So a name that changes in between leads nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address
from urllib.parse import SplitResult, urlsplit

import dns.exception
import dns.resolver

LONGEST = 500
SECONDS_TO_RESOLVE = 3.0
HTTPS = 443
GLOBAL_UNICAST = IPv6Network("2000::/3")
# Not for the open Internet, though Python's own lists have them so: protocols, relays, documents.
RESERVED = (IPv4Network("192.0.0.0/24"), IPv4Network("192.88.99.0/24"), IPv6Network("3fff::/20"))
ISATAP = (b"\x00\x00\x5e\xfe", b"\x02\x00\x5e\xfe")  # in front of the IPv4 address it leads to

Resolve = Callable[[str], Sequence[str]]
"""The numeric addresses of a name; none if it has none."""


class BadUrl(ValueError):
    """A URL that no hook may have; `key` says why."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


@dataclass(frozen=True)
class Target:
    """Where a call connects to: numeric addresses, and the host name to ask for."""

    host: str
    port: int
    path: str
    is_tls: bool
    addresses: tuple[str, ...]

    @property
    def host_header(self) -> str:
        """The Host header: the name, and the port if it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (HTTPS if self.is_tls else 80) else f"{host}:{self.port}"


def checked(url: str, *, to_loopback: bool = False) -> SplitResult:
    """The parts of a permitted URL; nothing is resolved. Raises BadUrl."""
    if not url.isascii() or not url.isprintable() or len(url) > LONGEST or set(url) & set(' \\"<>'):
        raise BadUrl("not_a_url")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BadUrl("not_a_url") from None
    if not parts.hostname or "@" in parts.netloc or "#" in url or "%" in parts.netloc:
        raise BadUrl("not_a_url")
    if to_loopback and parts.scheme == "http" and parts.hostname == "127.0.0.1":
        return parts
    if parts.scheme != "https":
        raise BadUrl("not_https")
    if port is not None and port != HTTPS and port < 1024:  # what listens there is no hook
        raise BadUrl("port")
    return parts


def target(url: str, resolve: Resolve, *, to_loopback: bool = False) -> Target:
    """Where a URL leads now. Raises BadUrl unless all its addresses are public."""
    parts = checked(url, to_loopback=to_loopback)
    host, is_tls = parts.hostname or "", parts.scheme == "https"
    addresses = tuple(resolved(host, resolve))
    if not addresses:
        raise BadUrl("no_address")
    may_be_here = to_loopback and addresses == ("127.0.0.1",)
    if not may_be_here and not all(map(is_public, addresses)):
        raise BadUrl("not_public")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(host, parts.port or (HTTPS if is_tls else 80), path, is_tls, addresses)


def resolved(host: str, resolve: Resolve) -> Sequence[str]:
    """The numeric addresses of a host, which may be numeric itself."""
    try:
        return [str(ip_address(host))]
    except ValueError:
        return resolve(host)


def is_public(address: str) -> bool:
    """Whether this is a public Internet address, and no tunnel to another one."""
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if ip.version == 6 and (ip not in GLOBAL_UNICAST or ip.sixtofour or ip.teredo):
        return False
    if any(ip in network for network in RESERVED) or ip.packed[8:12] in ISATAP:
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def by_dns(host: str) -> Sequence[str]:
    """The addresses of a name by DNS alone, without hosts file and search domain."""
    try:
        resolver = dns.resolver.Resolver()
        answers = resolver.resolve_name(host.rstrip(".") + ".", lifetime=SECONDS_TO_RESOLVE,
                                        search=False)
        return list(answers.addresses())
    except (dns.exception.DNSException, UnicodeError, OSError):
        return []
