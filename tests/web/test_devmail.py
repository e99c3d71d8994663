"""/dev/mail shows kept letters to somebody at this machine, and does not exist for others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

import pytest
from flask.testing import FlaskClient

from pbem.accounts import auth
from pbem.clock import FixedClock
from pbem.mail.delivery import sending
from pbem.mail.letters import build as letters_build
from pbem.mail.transport import FileTransport
from pbem.service import Service
from pbem.web.app import build
from tests.conftest import Enqueuer
from tests.support.incoming import listening, rows
from tests.support.letterfactory import placing_game
from tests.support.servers import free_port


def send_all(service: Service) -> None:
    sending.sweep(letters_build, service, FileTransport(service.settings.outbox_folder))


def browser(service: Service, **settings: Any) -> FlaskClient:
    """A visitor of a site with other settings."""
    changed = replace(service, settings=replace(service.settings, **settings))
    return build(changed).test_client()


def ask_to_sign_in(service: Service, address: str) -> None:
    with service.writing() as session:
        auth.ask_to_sign_in(session, address=address, browser="b", registration="open",
                            language="en", then=None, now=service.clock.now())  # fmt: skip
        session.commit()


def test_kept_letters_are_listed_with_the_newest_on_top(
    client: FlaskClient, service: Service, clock: FixedClock
) -> None:
    for address in ("first@players.example", "second@players.example"):
        ask_to_sign_in(service, address)
        send_all(service)

    page = client.get("/dev/mail").text

    assert page.index("second@players.example") < page.index("first@players.example")
    assert page.count("Your sign-in to Carreira") == 2


def test_before_the_first_letter_the_page_says_so(client: FlaskClient) -> None:
    assert "No letter has been sent yet." in client.get("/dev/mail").text


def test_the_link_of_a_kept_sign_in_letter_can_be_followed(
    client: FlaskClient, service: Service
) -> None:
    ask_to_sign_in(service, "ana@players.example")
    send_all(service)
    listed = re.search(r'href="(/dev/mail/[^"]+)"', client.get("/dev/mail").text)
    assert listed is not None

    page = client.get(listed[1]).text

    link = re.search(r'href="http://localhost(/sign-in/[^"]+)"', page)
    assert link is not None
    assert client.get(link[1]).status_code == 200
    assert re.search(r"Your sign-in code is \d{6}", page)


def test_a_letters_html_is_shown_in_a_frame_that_can_do_nothing(
    client: FlaskClient, service: Service
) -> None:
    placing_game(service)
    send_all(service)
    name = next(service.settings.outbox_folder.glob("*.turn.*.eml")).name

    page = client.get(f"/dev/mail/{name}").text
    framed = client.get(f"/dev/mail/{name}/html")

    assert f'src="/dev/mail/{name}/html"' in page
    assert 'sandbox="allow-top-navigation-by-user-activation"' in page
    policy = framed.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "allow-scripts" not in policy
    assert "frame-ancestors 'self'" in policy
    assert '<base target="_top">' in framed.text


def test_a_letters_pictures_are_shown_with_it(client: FlaskClient, service: Service) -> None:
    letter = EmailMessage()
    letter["Subject"] = "A picture"
    letter.set_content("A table")
    letter.add_alternative(
        '<html><head></head><body><img src="cid:own@x"><img src="cid:other@x"></body></html>',
        subtype="html")
    letter.get_payload(1).add_related(b"\x89PNG", "image", "png", cid="<own@x>")
    folder = service.settings.outbox_folder
    folder.mkdir(parents=True)
    (folder / "g1.eml").write_bytes(letter.as_bytes(policy=policy.SMTP))

    framed = client.get("/dev/mail/g1.eml/html")

    assert '<img src="data:image/png;base64,iVBORw==">' in framed.text
    assert '<img src="cid:other@x">' in framed.text
    assert "img-src data:" in framed.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-For": "203.0.113.7"},
        {"X-Forwarded-Proto": "https"},
        {"Forwarded": "for=203.0.113.7"},
        {"Via": "1.1 proxy"},
        {"X-Real-IP": "203.0.113.7"},
        {"Host": "carreira.example"},
        {"Host": "127.0.0.1.carreira.example"},
        {"Host": "rebound.example:8080"},
    ],
    ids=str,
)
def test_who_comes_from_elsewhere_finds_no_such_page(
    client: FlaskClient, service: Service, headers: dict[str, str]
) -> None:
    ask_to_sign_in(service, "ana@players.example")
    send_all(service)
    name = next(service.settings.outbox_folder.iterdir()).name

    for path in ("/dev/mail", f"/dev/mail/{name}", f"/dev/mail/{name}/html"):
        assert client.get(path).status_code == 200
        assert client.get(path, headers=headers).status_code == 404


def test_another_machine_finds_no_such_page(client: FlaskClient) -> None:
    elsewhere = {"REMOTE_ADDR": "203.0.113.7"}

    assert client.get("/dev/mail", environ_base=elsewhere).status_code == 404


@pytest.mark.parametrize(
    "public",
    [{"host": "0.0.0.0"}, {"host": "192.0.2.1"}, {"base_url": "https://carreira.example"}],
    ids=str,
)
def test_a_public_site_has_no_such_page(service: Service, public: dict[str, str]) -> None:
    assert browser(service, **public).get("/dev/mail").status_code == 404


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost:8080", "[::1]:8080"])
def test_every_name_of_this_machine_will_do(client: FlaskClient, host: str) -> None:
    assert client.get("/dev/mail", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "name", ["..%2Fsecret.key", "../carreira.db", ".hidden.eml", "nothing.eml", "secret.key"]
)
def test_nothing_but_letters_is_shown(client: FlaskClient, service: Service, name: str) -> None:
    folder = service.settings.outbox_folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".hidden.eml").write_text("Subject: half written\n\n")
    (folder / "secret.key").write_text("secret")

    assert client.get(f"/dev/mail/{name}").status_code == 404
    assert ".hidden" not in client.get("/dev/mail").text


def test_what_a_letter_says_cannot_run_in_the_page(client: FlaskClient, service: Service) -> None:
    folder = service.settings.outbox_folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bad.eml").write_bytes(
        b"Subject: <script>x()</script>\r\nTo: a@players.example\r\n"
        b"Content-Type: text/plain\r\n\r\n<script>y()</script>\r\n"
    )

    for page in (client.get("/dev/mail").text, client.get("/dev/mail/bad.eml").text):
        assert "<script>x" not in page
        assert "<script>y" not in page


def test_no_letter_stays_in_a_cache(client: FlaskClient) -> None:
    assert client.get("/dev/mail").headers["Cache-Control"] == "no-store"


# ---- answering ----------------------------------------------------------------------------------


@pytest.fixture
def listened(service: Service, enqueuer: Enqueuer) -> Iterator[Service]:
    """A service whose listener runs, on a free port."""
    with listening(service, enqueuer, "smtp://127.0.0.1:0") as door:
        port = door.place[1]  # type: ignore[attr-defined]
        settings = replace(service.settings, mail_in=f"smtp://127.0.0.1:{port}")
        yield replace(service, settings=settings)


def turn_letter(service: Service) -> str:
    """The name of a kept turn letter."""
    placing_game(service)
    send_all(service)
    return next(service.settings.outbox_folder.glob("*.turn.*.eml")).name


def answered(service: Service, name: str, text: str) -> str:
    """The page behind an answer that was written in the browser."""
    app = build(service)
    app.config["WTF_CSRF_ENABLED"] = False
    return app.test_client().post(
        f"/dev/mail/{name}", data={"text": text}, follow_redirects=True).text


def test_a_letter_is_answered_in_the_browser_by_a_real_letter(listened: Service) -> None:
    name = turn_letter(listened)
    kept = message_from_bytes(
        (listened.settings.outbox_folder / name).read_bytes(), policy=policy.default)

    page = answered(listened, name, "pass")

    assert "The mail server says: 250" in page
    (row,) = rows(listened)
    came = message_from_bytes(row.raw or b"", policy=policy.default)
    assert (row.source, row.recipient) == ("smtp", kept["Reply-To"])
    assert came["From"].addresses[0].addr_spec == kept["To"].addresses[0].addr_spec
    assert came["Subject"] == f"Re: {kept['Subject']}"
    assert came["In-Reply-To"] == kept["Message-ID"]
    lines = came.get_content().splitlines()
    assert lines[:2] == ["pass", ""]
    assert lines[2].endswith("wrote:")
    assert all(line.startswith(">") for line in lines[3:])


def test_what_the_listener_refuses_is_shown(listened: Service) -> None:
    name = turn_letter(listened)
    file = listened.settings.outbox_folder / name
    file.write_bytes(re.sub(rb"(?m)^Reply-To: .*$", b"Reply-To: turn+x@reply.example\r",
                            file.read_bytes()))

    assert "The mail server says: 550 5.1.1" in answered(listened, name, "pass")
    assert rows(listened) == []


def test_a_listener_that_is_away_is_told(service: Service) -> None:
    settings = replace(service.settings, mail_in=f"smtp://127.0.0.1:{free_port()}")

    page = answered(replace(service, settings=settings), turn_letter(service), "pass")

    assert "No answer:" in page


def test_the_box_is_there_for_letters_that_can_be_answered_only(
    client: FlaskClient, service: Service
) -> None:
    ask_to_sign_in(service, "ana@players.example")
    name = turn_letter(service)
    sign_in = next(service.settings.outbox_folder.glob("*.sign-in.*.eml")).name

    assert "Answer this letter" in client.get(f"/dev/mail/{name}").text
    assert "Answer this letter" not in client.get(f"/dev/mail/{sign_in}").text
    assert client.post(f"/dev/mail/{sign_in}", data={"text": "pass"}).status_code == 404
    deaf = browser(service, mail_in=None)
    assert "Answer this letter" not in deaf.get(f"/dev/mail/{name}").text


def test_nobody_answers_a_letter_from_elsewhere_or_without_the_forms_token(
    client: FlaskClient, service: Service
) -> None:
    name = turn_letter(service)

    away = client.post(f"/dev/mail/{name}", headers={"X-Forwarded-For": "203.0.113.7"})
    without = build(service).test_client().post(f"/dev/mail/{name}", data={"text": "pass"})

    assert (away.status_code, without.status_code) == (404, 400)


def ask_by_page(client: FlaskClient, **how: Any) -> str:
    """The page on which one waits for the letter."""
    client.post("/sign-in", data={"address": "ana@players.example"}, **how)
    return client.get("/sign-in/code", **how).text


def test_who_waits_for_a_letter_is_told_where_a_site_without_mail_server_keeps_it(
    client: FlaskClient
) -> None:
    page = ask_by_page(client)

    assert "its letters are kept on its own machine" in page
    assert 'href="/dev/mail"' in page


def test_who_waits_elsewhere_is_led_to_no_page_that_is_not_there(client: FlaskClient) -> None:
    page = ask_by_page(client, headers={"X-Forwarded-For": "203.0.113.7"})

    assert "its letters are kept on its own machine" in page
    assert "/dev/mail" not in page


def test_a_site_with_a_mail_server_says_nothing_of_that(service: Service) -> None:
    page = ask_by_page(browser(service, smtp_url="smtp://127.0.0.1:1"))

    assert "Look into your mailbox" in page
    assert "own machine" not in page
