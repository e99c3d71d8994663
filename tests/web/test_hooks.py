"""Web hooks: confirmed before they are used, signed, told once, sent to public machines only."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlmodel import Session, select

from pbem.accounts import hook_addresses, web_hooks
from pbem.accounts.hook_addresses import BadUrl
from pbem.clock import FixedClock
from pbem.config import Settings
from pbem.hooks import deliver
from pbem.hooks.deliver import Line
from pbem.hooks.post import Answer, NoAnswer, post
from pbem.models import Game, Outbox, Person, stored_id
from pbem.models.archive import HookCall, WebHook
from pbem.privacy import closure
from pbem.service import Service
from pbem.tables import seats, solo
from tests.conftest import NOON, Enqueuer
from tests.support import tables
from tests.support.at_table import order, play_on
from tests.support.letterfactory import swept
from tests.support.tables import ANA, BENTO, CATARINA, seat

PUBLIC, PRIVATE = "93.184.216.34", "10.0.0.7"


@dataclass
class Receiver:
    """A server that keeps what is posted to it and answers as it is told."""

    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    code: int = 200
    echoes: bool = True
    answer: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    url: str = ""

    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, body in self.got]

    def turns(self) -> list[dict[str, Any]]:
        return [body for body in self.bodies() if body["event"] == "your_turn"]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    told = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            told.got.append((dict(self.headers), body))
            self.send_response(told.code)
            for name, value in told.headers.items():
                self.send_header(name, value)
            self.end_headers()
            said = json.loads(body).get("challenge", "") if told.echoes else ""
            self.wfile.write(told.answer or said.encode())

        def log_message(self, *_: Any) -> None:
            return None

    server = HTTPServer(("127.0.0.1", 0), Handler)
    told.url = f"http://127.0.0.1:{server.server_port}/turn?x=1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield told
    server.shutdown()
    server.server_close()


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return environment | {"CARREIRA_TEST_HOOKS": "loopback"}


SOON = Line(resolve=lambda _: [], jitter=lambda low, _high: low)


def hook_of(service: Service) -> WebHook:
    with service.reading() as session:
        return session.exec(select(WebHook).order_by(WebHook.id.desc())).first()  # type: ignore[union-attr,return-value]


def calls(service: Service) -> list[HookCall]:
    with service.reading() as session:
        return list(session.exec(select(HookCall).order_by(HookCall.id)))  # type: ignore[arg-type]


def confirmed(service: Service, game: Game, receiver: Receiver, *seats: int) -> None:
    """These players have confirmed hooks at the receiver."""
    with service.writing() as session:
        for number in seats:
            person = session.get_one(Person, seat(session, game, number).person_id)
            web_hooks.add(session, person, receiver.url, NOON, to_loopback=True)
        session.commit()
    deliver.sweep(service, SOON)
    receiver.got.clear()


def on_to(service: Service, session: Session, game: Game, number: int) -> None:
    """The game goes on until this seat is asked anew."""
    order(service, session, game, ANA, "place 3 projects")
    play_on(service, session, game, lambda state: number in state.awaiting.seats)


# ---- confirming ---------------------------------------------------------------------------------


def test_a_hook_that_answers_with_the_challenge_is_confirmed(
    ana: FlaskClient, service: Service, receiver: Receiver, enqueuer: Enqueuer
) -> None:
    assert ana.post("/account/hooks", data={"url": receiver.url}).status_code == 303
    assert ("carreira.hooks", ()) in enqueuer.put_in
    assert hook_of(service).confirmed is None

    deliver.sweep(service, SOON)

    assert hook_of(service).confirmed == NOON
    [told] = receiver.bodies()
    assert told["event"] == "confirm"
    assert "it is called at each of your turns" in ana.get("/account/hooks").text


def test_a_hook_that_answers_otherwise_is_confirmed_by_its_owner_who_pastes_the_challenge(
    ana: FlaskClient, bento: FlaskClient, service: Service, receiver: Receiver
) -> None:
    receiver.echoes = False
    ana.post("/account/hooks", data={"url": receiver.url})
    deliver.sweep(service, SOON)
    [told] = receiver.bodies()
    confirm = "/account/hooks/1/confirm"

    assert hook_of(service).confirmed is None
    assert "answered, but not with the challenge" in ana.get("/account/hooks").text
    ana.post(confirm, data={"challenge": "A" * 24})
    assert hook_of(service).confirmed is None
    assert bento.post(confirm, data={"challenge": told["challenge"]}).status_code == 404
    assert told["challenge"] in ana.get(told["page"].removeprefix("http://localhost")).text
    assert hook_of(service).confirmed is None  # looking changes nothing
    ana.post(confirm, data={"challenge": told["challenge"]})
    assert hook_of(service).confirmed == NOON


def test_a_hook_that_is_not_confirmed_is_never_called(
    ana: FlaskClient, service: Service, session: Session, game: Game, receiver: Receiver
) -> None:
    receiver.echoes = False
    ana.post("/account/hooks", data={"url": receiver.url})
    deliver.sweep(service, SOON)

    on_to(service, session, game, ANA)
    deliver.sweep(service, SOON)

    assert receiver.turns() == []


def test_nobody_else_touches_a_hook(
    ana: FlaskClient, bento: FlaskClient, client: FlaskClient, service: Service, receiver: Receiver
) -> None:
    ana.post("/account/hooks", data={"url": receiver.url})

    for what in ("confirm", "again", "remove"):
        assert bento.post(f"/account/hooks/1/{what}").status_code == 404
        assert client.post(f"/account/hooks/1/{what}").status_code == 303
    assert receiver.url not in bento.get("/account/hooks").text
    assert hook_of(service).url == receiver.url
    ana.post("/account/hooks/1/remove")
    assert calls(service) == []


def test_five_hooks_are_all_that_one_person_has(ana: FlaskClient, receiver: Receiver) -> None:
    for number in range(5):
        added = ana.post("/account/hooks", data={"url": f"{receiver.url}{number}"})
        assert added.status_code == 303
    full = ana.post("/account/hooks", data={"url": f"{receiver.url}5"})

    assert full.status_code == 400
    assert "remove one first" in full.text


# ---- calls --------------------------------------------------------------------------------------


def test_a_turn_is_told_once_and_signed(
    service: Service, session: Session, game: Game, receiver: Receiver
) -> None:
    confirmed(service, game, receiver, ANA)

    on_to(service, session, game, ANA)
    deliver.sweep(service, SOON)
    deliver.sweep(service, SOON)

    [(headers, body)] = receiver.got
    asked_since = seat(session, game, ANA).asked_since
    assert json.loads(body) == {
        "event": "your_turn", "game": game.id, "kind": game.game, "title": "The winter fleet",
        "entry": asked_since, "players": ["Ana"], "page": f"http://localhost/games/{game.id}",
        "due": None}
    at, mac = re.fullmatch(r"t=(\d+),v1=(\w+)", headers["Carreira-Signature"]).groups()  # type: ignore[union-attr]
    secret = hook_of(service).secret.encode()
    assert mac == hmac.new(secret, f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    assert int(at) == NOON.timestamp()
    assert headers["Content-Type"] == "application/json"


def test_two_players_with_one_address_are_told_in_one_post(
    service: Service, session: Session, game: Game, receiver: Receiver
) -> None:
    confirmed(service, game, receiver, ANA, BENTO, CATARINA)
    people = [seat(session, game, number) for number in (ANA, BENTO)]
    for each in people:
        each.asked_since = game.last_entry
        session.add(each)
    session.flush()

    for _ in range(2):
        web_hooks.due(
            session, stored_id(game), game.last_entry, [p.person_id for p in people], NOON
        )
    web_hooks.due(session, stored_id(game), game.last_entry, [people[1].person_id], NOON)
    session.commit()
    deliver.sweep(service, SOON)

    [told] = receiver.turns()
    assert told["players"] == ["Ana", "Bento"]


def test_each_turn_is_told_to_whom_it_is_asked(
    service: Service, session: Session, game: Game, receiver: Receiver
) -> None:
    confirmed(service, game, receiver, BENTO)

    order(service, session, game, ANA, "place 3 projects")
    deliver.sweep(service, SOON)

    assert [told["players"] for told in receiver.turns()] == [["Bento"]]


def test_a_turn_in_a_game_that_nobody_else_plays_in_is_not_told(
    service: Service, session: Session, game: Game, receiver: Receiver
) -> None:
    confirmed(service, game, receiver, ANA)
    ana = session.get_one(Person, seat(session, game, ANA).person_id)

    alone = solo.start_tutorial(session, person=ana, game_key=game.game, now=NOON)
    session.commit()
    assert seat(session, alone, 0).asked_since is not None
    deliver.sweep(service, SOON)

    assert receiver.turns() == []


def test_a_turn_that_is_over_is_not_told(
    service: Service, session: Session, game: Game, receiver: Receiver
) -> None:
    confirmed(service, game, receiver, BENTO)
    order(service, session, game, ANA, "place 3 projects")

    play_on(service, session, game, lambda state: BENTO not in state.awaiting.seats)
    deliver.sweep(service, SOON)

    assert receiver.got == []
    assert calls(service)[-1].last_text == deliver.UNTRUE


def test_a_player_who_resigned_or_handed_his_seat_over_is_told_nothing(
    service: Service, session: Session, game: Game, receiver: Receiver
) -> None:
    confirmed(service, game, receiver, BENTO)
    order(service, session, game, ANA, "place 3 projects")
    bento = seat(session, game, BENTO).person_id
    seats.resign(session, stored_id(game), bento, NOON)

    deliver.sweep(service, SOON)

    assert receiver.got == []


def test_a_call_in_other_hands_is_left_to_them(
    service: Service, session: Session, game: Game, receiver: Receiver, clock: FixedClock
) -> None:
    confirmed(service, game, receiver, BENTO)
    order(service, session, game, ANA, "place 3 projects")
    call = calls(service)[-1].id or 0
    assert deliver.claim(service, call)

    deliver.sweep(service, SOON)
    assert receiver.got == []
    clock.forward(deliver.LEASE + timedelta(seconds=1))
    deliver.sweep(service, SOON)
    assert len(receiver.turns()) == 1


def test_it_is_the_same_on_postgresql(postgres_service: Service) -> None:
    """Two players with one address, one post; a failure is counted."""
    with postgres_service.writing() as session:
        game = tables.started_game(session, NOON)
        entry = game.last_entry
        seats = [seat(session, game, number) for number in (ANA, BENTO)]
        people = [each.person_id for each in seats]
        for each in seats:
            each.asked_since = entry
            session.add(each)
        for person_id in people:
            session.add(WebHook(person_id=person_id, url="https://hooks.example/", secret="s",
                                created=NOON, confirmed=NOON))
        session.flush()
        for _ in range(2):
            web_hooks.due(session, stored_id(game), entry, people, NOON)
        session.commit()

    deliver.sweep(postgres_service, replace(SOON, resolve=lambda _: [PRIVATE]))

    [call] = calls(postgres_service)
    assert (call.attempts, call.last_text) == (1, "not_public")
    with postgres_service.reading() as session:
        assert sorted(each.failures for each in session.exec(select(WebHook))) == [0, 1]


# ---- failing ------------------------------------------------------------------------------------


def test_a_call_that_fails_is_put_off_further_each_time(
    service: Service, session: Session, game: Game, receiver: Receiver, clock: FixedClock
) -> None:
    confirmed(service, game, receiver, BENTO)
    order(service, session, game, ANA, "place 3 projects")
    receiver.code = 503
    bounds: list[float] = []

    def jitter(low: float, high: float) -> float:
        bounds.append(high)
        return high

    for _ in range(deliver.TRIES + 2):
        deliver.sweep(service, replace(SOON, jitter=jitter))
        clock.forward(deliver.CEILING)

    assert bounds == [120.0 * 2**n for n in range(deliver.TRIES)]
    assert len(receiver.turns()) == deliver.TRIES
    assert calls(service)[-1].last_code == 503
    assert calls(service)[-1].settled is not None
    assert hook_of(service).failures == deliver.TRIES


def test_one_good_answer_starts_the_count_anew(
    service: Service, session: Session, game: Game, receiver: Receiver, clock: FixedClock
) -> None:
    confirmed(service, game, receiver, BENTO)
    order(service, session, game, ANA, "place 3 projects")
    receiver.code = 500
    deliver.sweep(service, SOON)
    assert hook_of(service).failures == 1

    receiver.code = 204
    clock.forward(timedelta(hours=1))
    deliver.sweep(service, SOON)

    assert hook_of(service).failures == 0


@pytest.fixture
def switched_off(service: Service, session: Session, game: Game, receiver: Receiver) -> None:
    """Bento's hook has failed for the twentieth time."""
    confirmed(service, game, receiver, BENTO)
    hook = session.exec(select(WebHook)).one()
    hook.failures = deliver.MOST_FAILURES - 1
    session.add(hook)
    session.commit()
    order(service, session, game, ANA, "place 3 projects")
    receiver.code = 500
    deliver.sweep(service, SOON)


@pytest.mark.usefixtures("switched_off")
def test_a_hook_that_failed_twenty_times_is_switched_off_and_its_owner_told(
    service: Service, session: Session, game: Game, receiver: Receiver, bento: FlaskClient
) -> None:
    assert hook_of(service).off == NOON
    assert hook_of(service).why == "500"
    letters = [str(each.get_body(("plain",)).get_content())  # type: ignore[union-attr]
               for each in swept(service).letters if "web hook" in (each["Subject"] or "")]
    assert len(letters) == 1 and receiver.url in letters[0]
    play_on(service, session, game, lambda state: BENTO not in state.awaiting.seats)
    play_on(service, session, game, lambda state: BENTO in state.awaiting.seats)
    deliver.sweep(service, SOON)
    assert len(receiver.turns()) == 1
    assert "Switched off" in bento.get("/account/hooks").text


@pytest.mark.usefixtures("switched_off")
def test_a_hook_that_was_switched_off_is_asked_again_and_used_once_it_confirms(
    service: Service, receiver: Receiver, bento: FlaskClient
) -> None:
    receiver.code = 200

    bento.post("/account/hooks/1/again")
    assert hook_of(service).confirmed is None
    deliver.sweep(service, SOON)

    hook = hook_of(service)
    assert (hook.confirmed, hook.off, hook.failures) == (NOON, None, 0)


@pytest.mark.usefixtures("switched_off")
def test_the_letter_does_not_leave_if_the_hook_is_gone(
    service: Service, bento: FlaskClient
) -> None:
    bento.post("/account/hooks/1/remove")

    assert not [each for each in swept(service).letters if "web hook" in (each["Subject"] or "")]
    with service.reading() as session:
        assert session.exec(select(Outbox.state).where(Outbox.kind == "hook_off")).one() == (
            "superseded")


def test_hooks_go_with_who_leaves_for_good(
    service: Service, session: Session, game: Game, receiver: Receiver
) -> None:
    confirmed(service, game, receiver, BENTO)
    order(service, session, game, ANA, "place 3 projects")
    bento = session.get_one(Person, seat(session, game, BENTO).person_id)
    seats.resign(session, stored_id(game), stored_id(bento), NOON)
    closure.leave_for_good(session, bento, NOON)
    session.commit()

    assert calls(service) == []
    assert session.exec(select(WebHook)).all() == []


# ---- where calls lead ---------------------------------------------------------------------------


@pytest.mark.parametrize(("url", "key"), [
    ("http://hooks.example/", "not_https"),
    ("ftp://hooks.example/", "not_https"),
    ("file:///etc/passwd", "not_a_url"),
    ("https://user:word@hooks.example/", "not_a_url"),
    ("https://hooks.example\\@evil.example/", "not_a_url"),
    ("https://hooks.example/#part", "not_a_url"),
    ("https://hooks.example/a b", "not_a_url"),
    ("https://hooks.example/\r\nHost: x", "not_a_url"),
    ("https://hooks.example:99999/", "not_a_url"),
    ("https://[::1/", "not_a_url"),
    ("https://[fe80::1%25eth0]/", "not_a_url"),
    ("https://hoöks.example/", "not_a_url"),
    ("https://hooks.example:25/", "port"),
    ("https:///path", "not_a_url"),
    ("https://hooks.example/" + "x" * 500, "not_a_url"),
    ("http://127.0.0.1:8080/", "not_https"),
])  # fmt: skip
def test_addresses_that_no_hook_can_have(url: str, key: str) -> None:
    with pytest.raises(BadUrl) as bad:
        hook_addresses.checked(url)

    assert bad.value.key == key


@pytest.mark.parametrize("where", [
    "127.0.0.1", "127.1.2.3", "10.0.0.7", "172.16.0.1", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "192.0.2.1", "::1", "::",
    "192.0.0.8", "192.88.99.1", "3fff::1", "2001:470::5efe:10.0.0.7",
    "::ffff:10.0.0.7", "::ffff:93.184.216.34", "fe80::1", "fc00::1", "ff02::1", "64:ff9b::a00:7",
    "2002:a00:7::1", "2001:0:a00:7::1", "::10.0.0.7", "2001:db8::1", "nonsense", "",
])  # fmt: skip
def test_addresses_that_are_not_public(where: str) -> None:
    assert not hook_addresses.is_public(where)


@pytest.mark.parametrize("where", [PUBLIC, "8.8.8.8", "2606:4700:4700::1111"])
def test_addresses_that_are_public(where: str) -> None:
    assert hook_addresses.is_public(where)


@pytest.mark.parametrize("found", [[PRIVATE], [PUBLIC, PRIVATE], ["::1", PUBLIC], ["127.0.0.1"]])
def test_a_name_with_one_address_that_is_not_public_is_not_called(found: list[str]) -> None:
    with pytest.raises(BadUrl, match="not_public"):
        hook_addresses.target("https://hooks.example/", lambda _: found)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "10.0.0.7", "[::ffff:169.254.169.254]"])
def test_a_numeric_address_is_checked_without_a_resolver(host: str) -> None:
    with pytest.raises(BadUrl, match="not_public"):
        hook_addresses.target(f"https://{host}/", lambda _: [PUBLIC])


def test_a_name_is_resolved_once_and_that_address_is_dialled(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """A resolver that says something else the second time changes nothing."""
    answers = iter([[PUBLIC], [PRIVATE]])
    dialled: list[Any] = []

    def dial(to: Any, timeout: float) -> socket.socket:
        dialled.append(to)
        raise ConnectionRefusedError("refused")

    monkeypatch.setattr(socket, "create_connection", dial)
    to = hook_addresses.target("https://hooks.example:8443/x?y=1", lambda _: next(answers))
    with pytest.raises(NoAnswer, match="refused"):
        post(to, b"{}", {})

    assert dialled == [(PUBLIC, 8443)]
    assert (to.path, to.host_header) == ("/x?y=1", "hooks.example:8443")


def test_a_hook_that_has_come_to_lead_inside_fails_and_is_not_dialled(
    service: Service, session: Session, game: Game, receiver: Receiver
) -> None:
    confirmed(service, game, receiver, BENTO)
    hook = session.exec(select(WebHook)).one()
    hook.url = "https://hooks.example/"
    session.add(hook)
    session.commit()
    order(service, session, game, ANA, "place 3 projects")

    deliver.sweep(service, replace(SOON, resolve=lambda _: [PRIVATE]))

    assert calls(service)[-1].last_text == "not_public"
    assert hook_of(service).failures == 1


def test_loopback_is_open_to_tests_alone(settings: Settings, environment: dict[str, str]) -> None:
    assert settings.hooks_to_loopback
    del environment["CARREIRA_TEST_HOOKS"]
    assert not Settings.from_environment(environment).hooks_to_loopback


# ---- the post -----------------------------------------------------------------------------------


def to_here(receiver: Receiver) -> hook_addresses.Target:
    return hook_addresses.target(receiver.url, lambda _: [], to_loopback=True)


def test_no_redirect_is_followed(receiver: Receiver) -> None:
    receiver.code, receiver.headers = 307, {"Location": receiver.url}

    answer = post(to_here(receiver), b"{}", {})

    assert (answer.code, answer.is_good) == (307, False)
    assert len(receiver.got) == 1


def test_no_proxy_is_asked(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")

    assert post(to_here(receiver), b"{}", {}).code == 200


def test_a_long_answer_is_read_to_a_point_only(receiver: Receiver) -> None:
    receiver.answer = b"x" * 1_000_000

    assert post(to_here(receiver), b"{}", {}) == Answer(200, b"x" * 4096)


def listening() -> tuple[socket.socket, hook_addresses.Target]:
    line = socket.create_server(("127.0.0.1", 0))
    port = line.getsockname()[1]
    return line, hook_addresses.Target(
        "127.0.0.1", port, "/", is_tls=False, addresses=("127.0.0.1",)
    )


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n"


@pytest.mark.parametrize(("first", "then"), [(b"", b""), (HEAD, b"X"), (HEAD + b"\r\n", b"x")])
def test_a_server_that_lets_bytes_drip_is_cut_off(first: bytes, then: bytes) -> None:
    """However often it says a little more, the call is over in time."""
    line, to = listening()
    done = threading.Event()

    def drip() -> None:
        other, _ = line.accept()
        with other, suppress(OSError):
            other.sendall(first)
            while not done.wait(0.02):
                other.sendall(then)

    thread = threading.Thread(target=drip, daemon=True)
    thread.start()
    with pytest.raises(NoAnswer, match="timed out"):
        post(to, b"{}", {}, seconds=0.3)
    assert not done.is_set()
    done.set()
    thread.join()
    line.close()


def test_what_is_no_http_is_no_answer() -> None:
    line, to = listening()

    def talk() -> None:
        other, _ = line.accept()
        with other:
            other.sendall(b"220 mail ready\r\n")

    thread = threading.Thread(target=talk, daemon=True)
    thread.start()
    with pytest.raises(NoAnswer):
        post(to, b"{}", {})
    thread.join()
    line.close()


def certificate(folder: Path, name: str) -> Path:
    made = folder / "hook.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}",
         "-keyout", made, "-out", folder / "cert.pem"], check=True, capture_output=True)
    made.write_text(made.read_text() + (folder / "cert.pem").read_text())
    return made


@pytest.mark.parametrize(("asked", "is_right"), [("hooks.example", True), ("other.example", False)])
def test_the_certificate_has_to_be_the_names(tmp_path: Path, asked: str, is_right: bool) -> None:  # noqa: FBT001
    """Though a number is dialled, the name is asked for and must be the certificate's."""
    pem = certificate(tmp_path, "hooks.example")
    theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    theirs.load_cert_chain(pem)
    names: list[str | None] = []
    theirs.sni_callback = lambda _line, name, _context: names.append(name)
    line = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        other, _ = line.accept()
        try:
            with theirs.wrap_socket(other, server_side=True) as talk:
                heard = b""
                # Head and body may come in two parts; who closes with one unread resets the line.
                while not heard.endswith(b"\r\n\r\n{}"):
                    heard += talk.recv(4096)
                talk.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
        except OSError:
            return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    port = line.getsockname()[1]
    to = hook_addresses.Target(asked, port, "/", is_tls=True, addresses=("127.0.0.1",))
    ours = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    if is_right:
        assert post(to, b"{}", {}, context=ours).code == 204
    else:
        with pytest.raises(NoAnswer):
            post(to, b"{}", {}, context=ours)
    thread.join()
    line.close()
    assert names == [asked]

