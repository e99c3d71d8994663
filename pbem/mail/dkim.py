"""Signs letters (DKIM, RFC 6376) with the operator's key, and prints its public half for the DNS.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode, b64encode
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from dkim import DKIM
from dkim.crypto import UnparsableKeyError, parse_pem_private_key
from nacl.signing import SigningKey

from pbem.config import BadSetting, Settings

# Added to the headers that RFC 6376 lists. Receivers count one-click unsubscribing only if both of
# its headers are signed.
ALSO_SIGNED = {b"list-unsubscribe", b"list-unsubscribe-post", b"auto-submitted", b"feedback-id"}
# Signed once more than they occur, so that nobody can add one. A second Reply-To on a forwarded
# letter would send its answers, with their moves, to somebody else.
SEALED = (
    b"from", b"to", b"cc", b"reply-to", b"subject", b"date", b"message-id", b"mime-version",
    b"content-type", b"list-unsubscribe", b"list-unsubscribe-post",
)
SHORTEST = 2048  # bits of an RSA key; some receivers ignore shorter ones
# Fixed DER prefixes: of an Ed25519 key in PKCS #8, and of an RSA public key's algorithm.
ED25519 = bytes.fromhex("302e020100300506032b657004220420")
RSA = bytes.fromhex("300d06092a864886f70d0101010500")
INTEGER, BIT_STRING, SEQUENCE = 0x02, 0x03, 0x30


@dataclass(frozen=True)
class Key:
    """A private key as dkimpy takes it, and its public half as the DNS shows it."""

    kind: Literal["rsa", "ed25519"]
    secret: bytes
    public: bytes
    bits: int

    @property
    def record(self) -> str:
        """Return the TXT record of SELECTOR._domainkey."""
        return f"v=DKIM1; k={self.kind}; p={b64encode(self.public).decode()}"


def signed(raw: bytes, settings: Settings) -> bytes:
    """Return the letter with its signature on top, or unchanged if there is no key."""
    if settings.dkim_key is None:
        return raw
    key = key_in(settings.dkim_key)
    letter: Any = DKIM(raw)
    letter.should_sign |= ALSO_SIGNED
    present = Counter(name.lower() for name, _ in letter.headers)
    names = [name for name in present if name in letter.should_sign or name in SEALED]
    header: bytes = letter.sign(
        settings.dkim_selector.encode(),
        settings.mail_domain.encode(),
        key.secret,
        signature_algorithm=f"{key.kind}-sha256".encode(),
        canonicalize=(b"relaxed", b"relaxed"),
        include_headers=[*(name for name in names for _ in range(present[name])), *SEALED],
    )
    return header + raw


@cache
def key_in(path: Path) -> Key:
    """Read an RSA or Ed25519 key from a PEM file. Raises BadSetting if it holds neither."""
    try:
        pem = "\n".join(path.read_text("ascii").split("\r\n")).strip() + "\n"
        return key_of(pem)
    except (OSError, ValueError, UnparsableKeyError, IndexError) as problem:
        wrong = f"{path} holds no RSA or Ed25519 key in PEM form ({problem})"
        raise BadSetting("CARREIRA_DKIM_KEY", " ".join(wrong.split())[:300]) from None


def key_of(pem: str) -> Key:
    """Parse a key from a PEM text."""
    found = re.search(r"-----BEGIN[A-Z ]*PRIVATE KEY-----(.+?)-----END", pem, re.DOTALL)
    if found is None:
        raise ValueError("no private key")
    try:
        der = b64decode("".join(found[1].split()), validate=True)
    except binascii.Error as wrong:
        raise ValueError(str(wrong)) from None
    if der.startswith(ED25519) and len(der) == len(ED25519) + 32:
        seed = der[len(ED25519) :]
        return Key("ed25519", b64encode(seed), bytes(SigningKey(seed).verify_key), 256)
    parsed = parse_pem_private_key(pem.encode())
    modulus, exponent = parsed["modulus"], parsed["publicExponent"]
    return Key("rsa", pem.encode(), rsa_public(modulus, exponent), modulus.bit_length())


def rsa_public(modulus: int, exponent: int) -> bytes:
    """Encode an RSA public key (X.509 SubjectPublicKeyInfo)."""
    numbers = der(SEQUENCE, whole(modulus) + whole(exponent))
    return der(SEQUENCE, RSA + der(BIT_STRING, b"\0" + numbers))


def whole(number: int) -> bytes:
    """Encode a non-negative integer in DER. A leading zero byte keeps the sign bit clear."""
    return der(INTEGER, number.to_bytes(number.bit_length() // 8 + 1, "big"))


def der(tag: int, content: bytes) -> bytes:
    """Encode one DER element: tag, length, content."""
    length = len(content)
    if length < 128:
        return bytes([tag, length]) + content
    size = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([tag, 128 + len(size)]) + size + content
