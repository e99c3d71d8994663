"""Letters are signed as they leave; whoever adds a header to one breaks the signature."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from dkim import verify

from pbem.config import BadSetting, Settings
from pbem.mail.dkim import key_in, signed
from pbem.service import Service
from tests.support.letterfactory import placing_game, swept

LETTER = (
    b"From: Carreira <table@carreira.example>\r\nTo: ana@players.example\r\nSubject: x\r\n"
    b"Reply-To: turn+abc@reply.carreira.example\r\nList-Unsubscribe: <https://x.example/u/1>\r\n"
    b"List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\nAuto-Submitted: auto-generated\r\n"
    b"Feedback-ID: g1:turn:en:carreira\r\nMIME-Version: 1.0\r\nContent-Type: text/plain\r\n"
    b"\r\nwords  \r\n\r\n"
)


def new_key(folder: Path, *how: str) -> Path:
    """A key as an operator makes one."""
    path = folder / "dkim.pem"
    subprocess.run(["openssl", "genpkey", "-out", path, *how], check=True, capture_output=True)
    return path


@pytest.fixture(scope="module", params=["rsa", "ed25519"])
def key(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    how = {"rsa": ("-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"),
           "ed25519": ("-algorithm", "ED25519")}[request.param]  # fmt: skip
    return new_key(tmp_path_factory.mktemp("dkim"), *how)


@pytest.fixture
def signing(key: Path, settings: Settings) -> Settings:
    return replace(settings, dkim_key=key, dkim_selector="s2026")


def is_good(letter: bytes, settings: Settings) -> bool:
    """What a receiver finds, to whom the DNS says what `doctor` prints."""
    key = key_in(settings.dkim_key)  # type: ignore[arg-type]

    def txt(name: bytes, timeout: int = 5) -> bytes:
        assert name == b"s2026._domainkey.carreira.example."
        return key.record.encode()

    return bool(verify(letter, dnsfunc=txt))


def test_a_signed_letter_verifies_by_the_record_that_is_published(signing: Settings) -> None:
    letter = signed(LETTER, signing)

    assert letter.endswith(LETTER)
    assert b"c=relaxed/relaxed;" in letter
    assert b" l=" not in letter.partition(b"From:")[0]
    assert is_good(letter, signing)


def test_spaces_that_a_relay_changes_break_nothing(signing: Settings) -> None:
    letter = signed(LETTER, signing)

    respaced = letter.replace(b"Subject: x", b"Subject:  x ").replace(b"words  ", b"words")
    assert is_good(respaced, signing)
    assert not is_good(letter.replace(b"words", b"swords"), signing)


@pytest.mark.parametrize("header", [
    b"Reply-To: thief@players.example", b"Subject: y", b"To: all@players.example",
    b"From: thief@players.example", b"List-Unsubscribe-Post: x", b"List-Unsubscribe: <https://y>",
    b"Cc: all@players.example", b"Message-ID: <a@b>", b"Content-Type: text/html",
])  # fmt: skip
def test_whoever_adds_a_header_breaks_the_signature(signing: Settings, header: bytes) -> None:
    letter = signed(LETTER, signing)

    assert not is_good(header + b"\r\n" + letter, signing)
    assert is_good(b"X-Seen: yes\r\nReceived: by relay\r\n" + letter, signing)


@pytest.mark.parametrize("header", [
    b"Auto-Submitted: auto-generated", b"Feedback-ID: g1:turn:en:carreira",
    b"List-Unsubscribe-Post: List-Unsubscribe=One-Click",
])  # fmt: skip
def test_whoever_takes_a_header_away_breaks_the_signature(
    signing: Settings, header: bytes
) -> None:
    letter = signed(LETTER, signing)

    assert not is_good(letter.replace(header + b"\r\n", b"", 1), signing)


def test_a_letter_without_a_reply_address_can_be_given_none(signing: Settings) -> None:
    """A sign-in letter has none; an added one would have answers sent to a stranger."""
    bare = LETTER.replace(b"Reply-To: turn+abc@reply.carreira.example\r\n", b"")

    letter = signed(bare, signing)

    assert is_good(letter, signing)
    assert not is_good(b"Reply-To: thief@players.example\r\n" + letter, signing)


def test_a_letter_leaves_signed_as_it_is(service: Service, signing: Settings) -> None:
    signer = replace(service, settings=signing)
    placing_game(signer)

    shelf = swept(signer)

    assert shelf.raw
    assert all(is_good(raw, signing) for raw in shelf.raw)


def test_without_a_key_nothing_is_signed(settings: Settings) -> None:
    assert signed(LETTER, settings) == LETTER


@pytest.mark.parametrize("text", [
    "", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\n???\n-----END PRIVATE KEY-----\n", "\xff",
])  # fmt: skip
def test_a_file_that_holds_no_key_is_refused_by_name_at_the_start(
    environment: dict[str, str], tmp_path: Path, text: str
) -> None:
    path = tmp_path / "wrong.pem"
    path.write_text(text)

    with pytest.raises(BadSetting, match="CARREIRA_DKIM_KEY"):
        Service.from_environment(environment | {"CARREIRA_DKIM_KEY": str(path)})


def test_an_old_rsa_key_file_with_windows_line_ends_is_read(tmp_path: Path) -> None:
    path = new_key(tmp_path, "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024")
    old = subprocess.run(["openssl", "rsa", "-in", path, "-traditional"], check=True,
                         capture_output=True)  # fmt: skip
    path.with_name("old.pem").write_bytes(old.stdout.replace(b"\n", b"\r\n"))

    key = key_in(path.with_name("old.pem"))

    assert (key.kind, key.bits) == ("rsa", 1024)
    assert key.record == key_in(path).record
