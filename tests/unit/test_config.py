"""Settings: defaults, refusals by name, and a page that lists them all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem.config import OF_TESTS, OLD_SECRETS, SECRET, VARIABLES, BadSetting, Settings
from pbem.mail.message import our_mailbox

ROOT = Path(__file__).parents[2]


def test_nothing_needs_to_be_set(tmp_path: Path) -> None:
    settings = Settings.from_environment({"CARREIRA_VAR": str(tmp_path)})

    assert settings.database_url == f"sqlite:///{tmp_path}/carreira.db"
    assert settings.broker_url == f"redis+socket://{tmp_path}/valkey.sock"
    assert settings.base_url == "http://127.0.0.1:8080"
    assert our_mailbox(settings) == "Carreira <table@carreira.example>"


def test_the_key_is_made_once_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    first = Settings.from_environment({"CARREIRA_VAR": str(tmp_path)})
    second = Settings.from_environment({"CARREIRA_VAR": str(tmp_path)})

    assert first.keys == second.keys
    assert len(first.keys.new) == 32
    assert (tmp_path / "secret.key").stat().st_mode & 0o777 == 0o600


def test_an_empty_variable_counts_as_not_set(tmp_path: Path) -> None:
    settings = Settings.from_environment(
        {"CARREIRA_VAR": str(tmp_path), "CARREIRA_PORT": "", "CARREIRA_SMTP_URL": " "}
    )

    assert (settings.port, settings.smtp_url) == (8080, None)


def test_a_site_on_all_addresses_writes_one_that_can_be_followed(tmp_path: Path) -> None:
    settings = Settings.from_environment(
        {"CARREIRA_VAR": str(tmp_path), "CARREIRA_HOST": "0.0.0.0", "CARREIRA_PORT": "81"}
    )

    assert settings.base_url == "http://127.0.0.1:81"


def test_a_name_with_a_slip_is_refused_with_the_one_that_was_meant(tmp_path: Path) -> None:
    environ = {"CARREIRA_VAR": str(tmp_path), "CARREIRA_REGISTRATON": "closed"}

    with pytest.raises(BadSetting, match=r"CARREIRA_REGISTRATON: .*is CARREIRA_REGISTRATION meant"):
        Settings.from_environment(environ)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CARREIRA_SMTP_URL", "smtp://mail.example:port"),
        ("CARREIRA_REDIS_URL", "redis://"),
        ("CARREIRA_REDIS_URL", "redis+socket://relative"),
        ("CARREIRA_BASE_URL", "https://carreira.example/deeper"),
        ("CARREIRA_BASE_URL", "https://[carreira.example"),
        ("CARREIRA_PROXIES", "nginx"),
        ("CARREIRA_PORT", "70000"),
        ("CARREIRA_REGISTRATION", "some"),
        ("CARREIRA_DATABASE_URL", "mysql://db"),
        ("CARREIRA_MAIL_IN", "smtp://0.0.0.0:25"),
        ("CARREIRA_DKIM_KEY", "/no/such/key"),
        ("CARREIRA_OPEN_GAME_DAYS", "0"),
        ("CARREIRA_MAIL_DOMAIN", "two\nlines.example"),
    ],
)
def test_a_wrong_value_is_refused_by_its_name(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(BadSetting) as refused:
        Settings.from_environment({"CARREIRA_VAR": str(tmp_path), name: value})

    assert refused.value.name == name


def test_the_page_of_settings_lists_every_one_and_no_other() -> None:
    known = {name for name in VARIABLES.values() if not name.startswith(OF_TESTS)}
    page = (ROOT / "docs" / "settings.md").read_text()
    listed = set(re.findall(r"^\| `(CARREIRA_[A-Z_]+)`", page, re.MULTILINE))

    assert listed == known | {SECRET, OLD_SECRETS}


@pytest.mark.parametrize(
    "way_in",
    [{}, {"CARREIRA_MAIL_IN": "lmtp:///run/mail"}, {"CARREIRA_MAIL_IN": "none"},
     {"CARREIRA_IMAP_URL": "imaps://u:p@mail.example/INBOX"}],
)  # fmt: skip
@pytest.mark.parametrize("server", ["mx.play.example", None])
def test_a_named_mail_server_decides_about_letters_whichever_way_they_come_in(
    tmp_path: Path, way_in: dict[str, str], server: str | None
) -> None:
    environ = {"CARREIRA_VAR": str(tmp_path), "CARREIRA_AUTHSERV_ID": server or "", **way_in}
    without_server = "token" if not way_in else "hold"
    expected = "dmarc" if server else without_server
    assert Settings.from_environment(environ).mail_trust == expected


def test_a_trust_that_is_set_stays_as_it_is(tmp_path: Path) -> None:
    environ = {"CARREIRA_VAR": str(tmp_path), "CARREIRA_AUTHSERV_ID": "mx.play.example"}
    settings = Settings.from_environment(environ | {"CARREIRA_MAIL_TRUST": "hold"})
    assert settings.mail_trust == "hold"
