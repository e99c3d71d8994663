"""A site with something on every page: games in all states, letters, notes, talk, searches."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from flask import Flask
from sqlmodel import Session, select
from werkzeug.serving import make_server

from pbem.accounts import auth, recovery_links
from pbem.archive import closing
from pbem.clock import FixedClock
from pbem.config import Settings
from pbem.db import make_engine
from pbem.mail import tokens, transport
from pbem.mail.delivery import sending
from pbem.mail.letters import build as letters_build
from pbem.models import Chat, Game, Invitation, MailPause, Outbox, Person, SeatRow, stored_id
from pbem.operators import people as operators
from pbem.operators import recovery
from pbem.play import advance, stuck
from pbem.play.chance import commitment_of
from pbem.play.log import Writer
from pbem.record import nightly
from pbem.service import Service
from pbem.tables import invitations, lobby, series, solo, votes
from pbem.web.app import build
from pbem.web.context import BROWSER, COOKIE
from tests.conftest import NOON, Enqueuer
from tests.support import tables
from tests.support.answering import Answers
from tests.support.at_table import can_sail, order, play_on
from tests.support.finished import finished_game
from tests.support.tables import SHUFFLE

SECRET = "a secret key that only tests know"
LANGUAGES = {"Ana": "en", "Bento": "hu", "Catarina": "ru", "Duarte": "pt", "Gil": "en"}
OPERATOR = "Olga"
TABLE = ("Ana", "Bento", "Catarina", "Duarte")
MIDDLE = {
    "vasco-da-gama": lambda state: state.round == 2 and can_sail(state),
    "goa": lambda state: state.round == 4 and type(state.awaiting).__name__ == "AwaitTurnAction",
}
AHEAD = {
    "vasco-da-gama": "later: place 8 recruiting else 9 recruiting else ask; place 12 navigation",
    "goa": "later: pass on the rest in round B3",
}
OVER: Callable[[Any], bool] = lambda state: False  # noqa: E731


@dataclass
class World:
    """The site, what stands in its addresses, and who is who at its tables."""

    app: Flask
    service: Service
    facts: dict[str, Any] = field(default_factory=dict)
    people: dict[str, int] = field(default_factory=dict)
    asked: dict[str, str] = field(default_factory=dict)  # game by its fact: name of the asked
    newcomer: dict[str, str] = field(default_factory=dict)  # cookies of somebody without a name yet

    def who(self, viewer: str, game: str) -> str | None:
        """The name of who looks: asked or waiting at a game, by name, or None for a visitor."""
        if viewer == "visitor":
            return None
        if viewer == "asked":
            return self.asked[game]
        if viewer == "waiting":
            return next(name for name in TABLE if name != self.asked[game])
        return viewer.format(**self.facts)

    def cookie(self, name: str) -> str:
        """Somebody's cookie for a new browser."""
        with self.service.writing() as session:
            made = auth.open_session(
                session, self.people[name], agent="test", now=self.service.clock.now())
            session.commit()
        return made

    def browser(self, name: str | None) -> Any:
        """Somebody's browser without script."""
        client = self.app.test_client()
        if name is not None:
            client.set_cookie(COOKIE, self.cookie(name))
        return client

    def post(self, who: str | None, path: str, /, **values: Any) -> str:
        """Send a form as somebody; where it leads."""
        answer = self.browser(who).post(path, data=values)
        assert answer.status_code < 400, (path, answer.status_code, answer.text)
        return str(answer.headers.get("Location", ""))


@contextmanager
def world(folder: Path, empty_database: Path, *, whole: bool = False) -> Iterator[World]:
    """The site in a folder; `whole`: with finished games of all rounds too."""
    with empty_world(folder, empty_database) as made:
        fill(made, whole=whole)
        made.app.config["WTF_CSRF_ENABLED"] = True
        yield made


@contextmanager
def empty_world(folder: Path, empty_database: Path) -> Iterator[World]:
    """The site in a folder, with nobody in it; its forms need no tokens."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(empty_database, folder / "carreira.db")
    settings = Settings.from_environment({
        "CARREIRA_VAR": str(folder), "CARREIRA_BASE_URL": "http://localhost",
        "CARREIRA_SECRET_KEY": SECRET, "CARREIRA_LETTER_DELAY": "0", "CARREIRA_PICTURES": "off",
    })  # fmt: skip
    engine = make_engine(settings.database_url)
    service = Service(settings, engine, FixedClock(NOON))
    app = build(service)
    app.config.update(TESTING=True, WTF_CSRF_ENABLED=False)
    app.extensions["carreira_enqueuer"] = Enqueuer()
    with ExitStack() as stack:
        stack.callback(engine.dispose)
        yield World(app, service)


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """The app on a free port; its address."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()


# ---- what happens there --------------------------------------------------------------------------


def fill(made: World, *, whole: bool) -> None:
    """Let people sign up, play, write, search and be invited."""
    with made.service.writing() as session:
        for name, language in LANGUAGES.items():
            made.people[name] = stored_id(
                tables.person(session, name, made.service.clock.now(), language))
        operator = tables.person(session, OPERATOR, made.service.clock.now())
        made.people[OPERATOR] = stored_id(operator)
        operators.make(session, operator, made.service.clock.now())
        session.commit()
        running(made, session, "vg", "vasco-da-gama")
        running(made, session, "goa", "goa")
        over(made, session, whole=whole)
        open_game(made, session)
        company(made, session)
        hands(made, session)
    talk(made)
    letters(made)
    outside(made)
    running_it(made)


def running(made: World, session: Session, name: str, key: str) -> None:
    """A game in its middle."""
    game = seated(made, session, key, TABLE)
    play_on(made.service, session, game, MIDDLE[key])
    made.facts[name] = stored_id(game)
    made.facts[f"{name}_entry"] = game.last_entry - 1
    asked = select(SeatRow).where(SeatRow.game_id == game.id, SeatRow.asked_since.is_not(None))
    seat = session.exec(asked).first()
    made.asked[name] = seat.name
    session.commit()
    for number in range(len(TABLE)):  # what stands behind `later:` plays nothing now
        order(made.service, session, game, number, AHEAD[key])


def seated(made: World, session: Session, key: str, names: tuple[str, ...]) -> Game:
    """A game of these people, always with the same shuffle."""
    now = made.service.clock.now()
    people = [session.get_one(Person, made.people[name]) for name in names]
    game = lobby.open_game(
        session, host=people[0], game_key=key, title="The winter fleet", seats=len(people),
        chosen_order=True, private=False, components=None, phrase="", open_days=30, now=now,
        options={})  # fmt: skip
    game.server_part = bytes([SHUFFLE]) * 32
    game.commitment = commitment_of(game.server_part)
    game.join_nonce = f"{game.id:032}"  # nothing drawn: what begins alike is played once
    session.commit()
    for guest in people[1:]:
        lobby.join(session, game_id=stored_id(game), person=guest, phrase="", now=now)
    session.commit()
    return game


def over(made: World, session: Session, *, whole: bool) -> None:
    """Games that are over, known to the archive and looked at by night."""
    service, games = made.service, []
    short = finished_game(service, session, names=("Eszter", "Fedor"))
    games.append(short)
    for name in ("Eszter", "Fedor"):
        found = session.exec(select(Person).where(Person.name == name)).one()
        made.people[name] = stored_id(found)
    if whole:
        for key in MIDDLE:
            games.append(seated(made, session, key, ("Eszter", "Fedor", "Gil")))
            play_on(service, session, games[-1], OVER)
            made.facts[f"whole_{key}"] = stored_id(games[-1])
    for game in games:
        closing.close_game(session, stored_id(game), service.clock.now())
    made.facts["over"], made.facts["over_last"] = stored_id(short), short.last_entry
    made.facts |= {name.lower(): number for name, number in made.people.items()}
    session.commit()
    nightly.work_off(service, seconds=60)


def open_game(made: World, session: Session) -> None:
    """A game that waits for players, with somebody invited; and one without guests."""
    session.commit()
    path = made.post("Ana", "/games/new", game="goa", title="The summer fleet", seats="4",
                     order="random", visibility="public", set="standard", components="",
                     phrase="three caravels")
    made.facts["open"] = int(path.rsplit("/", 1)[1])
    made.post("Bento", f"{path}/join", phrase="by the tower")
    made.post("Ana", f"{path}/invite", address="gil@players.example")
    made.post("Ana", f"{path}/invite", address="nobody@players.example")
    session.expire_all()
    key = made.service.settings.keys
    invited = session.exec(select(Invitation)).first()
    made.facts["invitation"] = invitations.invitation_token(key, invited)
    made.facts["join"] = invitations.join_token(key, session.get_one(Game, made.facts["open"]))
    session.commit()


def company(made: World, session: Session) -> None:
    """Lessons, a game among friends, a rematch, and a series that goes on."""
    now = made.service.clock.now()
    gil = session.get_one(Person, made.people["Gil"])
    for name, key in (("vg", "vasco-da-gama"), ("goa", "goa")):
        lesson = solo.start_tutorial(session, person=gil, game_key=key, now=now)
        made.facts[f"lesson_{name}"] = stored_id(lesson)
    session.commit()
    path = made.post("Duarte", "/friends", game="goa", seats="3", title="Sunday")
    made.facts["among_friends"] = int(path.rsplit("/", 1)[1])
    path = made.post("Fedor", f"/games/{made.facts['over']}/rematch")
    made.facts["rematch"] = int(path.rsplit("/", 1)[1])
    over = session.get_one(Game, made.facts["over"])
    made.facts["series"] = series.begin(session, over, 2, now).id
    session.commit()


def hands(made: World, session: Session) -> None:
    """A game with a seat that was handed over and one that was taken, whose third is missed."""
    game = seated(made, session, "vasco-da-gama", TABLE)
    game.clock, game.at_zero = "each 72", "vote"
    session.add(game)
    session.commit()
    number, now = stored_id(game), made.service.clock.now()
    made.facts["hands"] = number
    made.post("Duarte", f"/games/{number}/hand-over")
    made.post("Fedor", f"/games/{number}/seats/4/take")
    made.post("Bento", f"/games/{number}/hand-over")
    made.post("Ana", f"/games/{number}/seats/2/invite", address="gil@players.example")
    made.post("Ana", "/account/vacation", days="3", **{"from": "2026-05-01"})
    made.post("Gil", "/account/substitute", game="goa")
    session.expire_all()
    writer = Writer.locked(session, number, now)
    assert writer is not None
    asked = writer.rules.current_players(writer.state)[0]
    made.facts["missed"] = writer.seats[asked].name
    writer.note(asked, cause="overtime")
    votes.open_vote_about(writer, asked)
    advance.settle(writer, advance.people_of(session, writer.seats), timedelta(0))
    session.commit()
    invited = session.exec(select(Invitation).where(Invitation.game_id == number)).one()
    made.facts["seat_invitation"] = invitations.invitation_token(
        made.service.settings.keys, invited)


def talk(made: World) -> None:
    """Talk, notes, feeds, tokens and hooks."""
    vg, over_id = made.facts["vg"], made.facts["over"]
    made.post("Ana", f"/games/{vg}/chat", text="Boa viagem!\nWho wants the second ship?")
    made.post("Gil", f"/games/{vg}/chat", text="I would take the merchant.")
    made.post("Eszter", f"/games/{over_id}/chat", text="Well played.")
    with made.service.reading() as session:
        said = session.exec(select(Chat).order_by(Chat.id)).first()
        made.facts["line"] = stored_id(said)
    made.post("Bento", f"/talk/{made.facts['line']}/report", text="He asks what I hold.")
    made.post("Bento", f"/players/{made.facts['eszter']}/block")
    made.post("Ana", f"/games/{vg}/notes", entry=made.facts["vg_entry"], text="Bento is rich.")
    made.post("Eszter", f"/games/{over_id}/notes", entry=3, text="Here I was too early.")
    made.post("Ana", "/account/feeds")
    made.post("Ana", "/account/tokens", name="my script", days="30", read="yes", play="yes")
    made.post("Ana", "/account/hooks", url="https://example.com/hook")


def letters(made: World) -> None:
    """Letters that are sent to the folder, one of which is answered from a strange address."""
    service = made.service
    sending.sweep(letters_build, service, transport.transport_of(service.settings), most=1_000)
    with service.reading() as session:
        about = Outbox.game_id == made.facts['vg']
        wanted = select(Outbox).where(Outbox.kind == "turn", about)
        turn = session.exec(wanted.order_by(Outbox.id.desc())).first()
        reader = session.get_one(Person, turn.person_id)
    held = Answers(service, made.facts["vg"]).says(turn, "pass", sender="eve@elsewhere.example")
    made.facts["held"], made.facts["held_by"] = stored_id(held), reader.name
    made.facts["u"] = tokens.token(service.settings.keys, "unsub", turn)
    kept = service.settings.outbox_folder.glob(f"g{made.facts['vg']}.turn*.eml")
    made.facts["letter"] = min(path.name for path in kept)


def outside(made: World) -> None:
    """Two newcomers: one has a letter to sign in with, the other has used his."""
    made.facts["link"] = link_for(made, "new@players.example")
    client = made.app.test_client()
    answer = client.post(f"/sign-in/{link_for(made, 'newer@players.example')}")
    assert answer.headers["Location"].endswith("/sign-in/new"), answer.headers
    made.newcomer = {name: client.get_cookie(name).value for name in ("carreira_form", BROWSER)
                     if client.get_cookie(name)}


def running_it(made: World) -> None:
    """What operators have to see to: a game that fails, letters that stay, a lost mailbox."""
    now = made.service.clock.now()
    with made.service.writing() as session:
        stuck.note(session, made.facts["lesson_goa"], "KeyError", now)
        for number, values in enumerate((
            {"state": "dead", "settled": now, "last_code": 550, "last_text": "no such mailbox"},
            {"state": "sent", "settled": now, "bounced": now, "bounce": "hard"},
            {"attempts": 2, "last_text": "try again later"},
        )):  # fmt: skip
            session.add(Outbox(person_id=made.people['Bento'], kind="test",
                               dedup_key=f"{number}", created=now, not_before=now, **values))
        session.add(MailPause(domain="slow.example", until=now + timedelta(hours=1), since=now,
                              why="421 too many letters"))
        olga, gil = (session.get_one(Person, made.people[name]) for name in (OPERATOR, "Gil"))
        begun = recovery.begin(session, olga, gil, "gil@elsewhere.example", "rang me up", now=now)
        session.commit()
        for purpose in ("confirm", "stop"):
            made.facts[f"recovery_{purpose}"] = recovery_links.token(
                made.service.settings.keys, purpose, begun, None)


def link_for(made: World, address: str) -> str:
    """The secret of a letter to sign in with."""
    with made.service.writing() as session:
        now = made.service.clock.now()
        asked = auth.ask_to_sign_in(session, address=address, browser="b" * 43, language="en",
                                    registration="open", then=None, now=now)
        link, _code = auth.issue_secrets(session, asked, now)
        session.commit()
    return link
