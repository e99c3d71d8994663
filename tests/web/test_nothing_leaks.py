"""What one may not see is in no page, log, letter, header or refusal.

The same game is stored twice: as it was dealt, and re-dealt in all that the viewer has not seen.
He gets the same bytes from both. Tried for every game of the registry.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlmodel import Session, select

from engine import codec, play, registry
from engine.chance import Forbidden
from engine.errors import MoveRefused
from pbem.accounts import feed_addresses
from pbem.accounts.auth import hashed
from pbem.clock import FixedClock
from pbem.config import Settings
from pbem.db import make_engine
from pbem.i18n.words import LANGUAGES
from pbem.mail.letters import picture
from pbem.models import Game, Inbound, InboundState, Person, SeatRow, Submission
from pbem.models.archive import ApiToken, FeedAddress
from pbem.play import advance, narration, positions, receipts
from pbem.service import Service
from pbem.web.app import build
from tests.conftest import NOON, Enqueuer
from tests.engine.play_outs import SEEDS, PlayOut, Step, known_moves, play_out, stream
from tests.support.at_table import sign_in
from tests.support.histories import cause_of, stored_game
from tests.support.letterfactory import swept

SEED = 2
SPECTATOR = None
WATCHED = [(0.0, 0), (0.3, SPECTATOR), (0.3, 2), (0.3, 3), (0.75, 1), (0.75, SPECTATOR)]
if "SOAK" in os.environ:
    WATCHED += [(0.3, 0), (0.3, 1)]
CASES = [  # game, how much of it has been played, viewer, seed; seats read in several languages
    (key, part, viewer, SEED)
    for key in registry.GAMES
    for part, viewer in WATCHED
]
MORE = int(os.environ.get("SOAK_GAMES", "0"))  # games of each kind beyond these: `make soak`
CASES += [
    (key, (seed * 37 % 60) / 100, (0, 1, 2, 3, SPECTATOR)[seed % 5], 1000 + seed)
    for key in registry.GAMES
    for seed in range(MORE)
]
CHANGING = [  # drawn anew for each page or letter
    (re.compile(r'(?<=name="csrf_token" value=")[^"]*'), "csrf"),
    (re.compile(r"(?<=carreira_form=)[^;]*"), "csrf"),
    (re.compile(r"(?<=X-Request-Id: )\w*"), "drawn"),
    (re.compile(r"(?<=\nDate: )[^\r\n]*"), "now"),  # of files, by the server's own clock
]


class Site:
    """A service with one game in it, as one viewer meets it."""

    def __init__(self, service: Service, game_id: int, viewer: int | None) -> None:
        self.service = service
        self.game_id = game_id
        self.viewer = viewer
        app = build(service)
        app.config.update(TESTING=True, WTF_CSRF_ENABLED=False)
        app.extensions["carreira_enqueuer"] = Enqueuer()
        self.browser: FlaskClient = app.test_client()
        if viewer is not SPECTATOR:
            with service.writing() as session:
                sign_in(service, self.browser, session, self.row(session), viewer)

    def row(self, session: Session) -> Game:
        """The game's row."""
        return session.get_one(Game, self.game_id)

    def get(self, path: str, **headers: str) -> str:
        """Everything that a page answers with: status, headers, body."""
        return told(self.browser.get(path, headers={"Accept-Language": "pt", **headers}))

    def post(self, path: str, **fields: Any) -> str:
        """What a form is answered with."""
        return told(self.browser.post(path, data={"token": "one", **fields}))


def told(answer: Any) -> str:
    """An answer as text, without what is drawn anew for each."""
    body = answer.get_data().decode("utf-8", "replace")  # an icon is no text
    text = f"{answer.status_code}\n{answer.headers}\n{body}"
    for pattern, instead in CHANGING:
        text = pattern.sub(instead, text)
    return text


class Twins:
    """The real game and the re-dealt one."""

    def __init__(self, played: PlayOut, length: int, real: Site, dealt: Site) -> None:
        self.played = played
        self.length = length
        self.state = played.states[length - 1]
        self.real = real
        self.dealt = dealt

    def same(self, look: Callable[..., str], *about: Any, **more: Any) -> str:
        """What both show, which must be the same."""
        shown = look(self.real, *about, **more)
        assert shown == look(self.dealt, *about, **more)
        return shown


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "{}-{}-{}-{}".format(*case))
def twins(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, empty_database: Path
) -> Iterator[Twins]:
    """One game twice, at one point of it, for one viewer."""
    with dealt_twice(request.param, tmp_path_factory, empty_database) as made:
        yield made


@contextmanager
def dealt_twice(
    case: tuple[str, float, int | None, int], tmp_path_factory: pytest.TempPathFactory,
    empty_database: Path
) -> Iterator[Twins]:
    """The game of a case, and the same re-dealt in all that its viewer has not seen."""
    key, part, viewer, seed = case
    played = play_out(key, registry.game(key).seats[-1], seed)
    length = telling_length(played, part, viewer)
    history = played.turns[:length]
    dealt, differing = played.game.redealt(history, viewer, stream(77, length))
    assert differing > 0
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr("pbem.web.table.forms.new_token", lambda: "token")
        patch.setattr("pbem.web.responses.form_secret", lambda: b"drawn anew for each browser")
        sites = []
        for turns in (history, dealt):
            service = service_in(database_in(tmp_path_factory, empty_database))
            stack.callback(service.engine.dispose)
            sites.append(Site(service, stored_game(service, played, turns), viewer))
        yield Twins(played, length, *sites)


def database_in(tmp_path_factory: pytest.TempPathFactory, empty_database: Path) -> Path:
    """A folder with a database of its own."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copyfile(empty_database, folder / "carreira.db")
    return folder


def service_in(folder: Path, **more: str) -> Service:
    """A service with the secrets and the time of its twin; `more` holds settings of its own."""
    settings = Settings.from_environment({
        "CARREIRA_VAR": str(folder),
        "CARREIRA_BASE_URL": "http://localhost",
        "CARREIRA_SECRET_KEY": "a secret key that only tests know",
        **more,
    })
    return Service(settings, make_engine(f"sqlite:///{folder}/carreira.db"), FixedClock(NOON))


def telling_length(played: PlayOut, part: float, viewer: int | None) -> int:
    """So many entries, up to a question that does not answer itself.

    If there is such a one, up to one whose answer by the viewer would reveal something.
    """
    least = 1 + int(part * (len(played.steps) - 1))
    lengths = [
        number for number in range(least, len(played.steps))
        if play.forced(played.game, played.states[number - 1]) is None
    ]  # fmt: skip
    revealing = (
        number for number in lengths
        if viewer is not SPECTATOR and reveals(played, played.states[number - 1], viewer)
    )  # fmt: skip
    return next(revealing, lengths[0])


def reveals(played: PlayOut, state: Any, seat: int) -> list[Any]:
    """The seat's first answers that end in front of something hidden."""
    return [
        move for move in islice(played.game.answers(state, seat), 50)
        if played.game.apply_action(state, seat, move, Forbidden()).stopped
    ]  # fmt: skip


def secrets_of(twins: Twins) -> set[str]:
    """The words that name what the viewer may not see, in the real game or the re-dealt one."""
    found: set[str] = set()
    for site in (twins.real, twins.dealt):
        with site.service.reading() as session:
            state = positions.position(session, site.row(session), twins.length)
        view = twins.played.game.observation(state, site.viewer)
        found |= set(words_in(plain(state))) - set(words_in(plain(view)))
    return found


def plain(value: Any) -> Any:
    """A state or view as dicts and lists."""
    return codec.decode(codec.encode(value), Any)


def words_in(value: Any) -> Iterator[str]:
    """All strings in a value, without the names of its fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from words_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from words_in(part)


def assert_silent(twins: Twins, texts: Iterable[str]) -> None:
    """None of the texts names anything hidden."""
    hidden = secrets_of(twins)
    if not hidden:  # late in a game nothing may be left that has a name; not in our own cases
        assert twins.played is not play_out(twins.played.game.key, twins.played.seats, SEED)
        return
    pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted(hidden)))})(?![\w-])")
    for text in texts:
        found = pattern.search(text)
        assert found is None, text[max(0, found.start() - 100) : found.end() + 50]


# ---- pages -------------------------------------------------------------------------------------


def test_no_page_of_the_game_tells_what_is_hidden(twins: Twins) -> None:
    """The table now and at entries all along its history, with all headers."""
    game, length = f"/games/{twins.real.game_id}", twins.length
    entries = sorted({1, 1 + length // 2, length})
    paths = [game, *(f"{game}/{number}" for number in entries), "/games", "/archive?state=running"]
    paths.append(f"{game}/{length}?log={1 + length // 3}")
    paths += [f"{game}/graph", f"{game}/compare?a={1 + length // 2}&b={length}"]

    pages = [twins.same(Site.get, path) for path in paths]

    assert all(page.startswith("200\n") for page in pages)
    assert_silent(twins, pages)


def test_no_form_of_an_answer_tells_what_is_hidden(twins: Twins) -> None:
    """Neither whether a page has changed, nor one for machines."""
    path = f"/games/{twins.real.game_id}"

    answers = [
        twins.same(Site.get, path, **{"If-None-Match": '"1"'}),
        twins.same(Site.get, path, Accept="application/json"),
    ]

    assert all("Content-Type: text/html" in answer for answer in answers)
    assert_silent(twins, answers)


def test_no_tag_of_a_page_tells_what_is_hidden(twins: Twins) -> None:
    """Two positions that look the same have the same tag, and its owner keeps his page by it."""
    game, length = f"/games/{twins.real.game_id}", twins.length
    for path in (game, f"{game}/{1 + length // 2}"):
        twins.same(Site.get, path)  # a first visit draws what forms are checked against
        page = twins.same(Site.get, path)
        tag = re.search(r'^ETag: (W/"\w+")', page, re.MULTILINE)
        assert tag is not None

        again = twins.same(Site.get, path, **{"If-None-Match": tag[1]})

        assert again.startswith("304\n")


def test_the_record_of_a_running_game_is_given_to_nobody(twins: Twins) -> None:
    """Not even to its players."""
    refused = twins.same(Site.get, f"/games/{twins.real.game_id}/record")

    assert refused.startswith("404\n")
    assert_silent(twins, [refused])


# ---- programs ----------------------------------------------------------------------------------


def test_no_feed_tells_what_is_hidden(twins: Twins) -> None:
    """At the public address, at a secret one, and of all games."""
    for site in (twins.real, twins.dealt):
        give_programs_access(site)
    paths = [f"/games/{twins.real.game_id}/feed.atom"]
    if twins.real.viewer is not SPECTATOR:
        own = f"/feeds/{secret_of(twins.real)}"
        paths += [f"{own}/games.atom", f"{own}/games/{twins.real.game_id}.atom",
                  f"{own}/deadlines.ics"]

    told_in = [twins.same(Site.get, path) for path in paths]

    assert all(feed.startswith("200\n") for feed in told_in)
    assert_silent(twins, told_in)


def test_no_answer_to_a_program_tells_what_is_hidden(twins: Twins) -> None:
    """List, tables, legal orders, history, previews, orders sent, and the record."""
    for site in (twins.real, twins.dealt):
        give_programs_access(site)
    game, length = f"/api/v1/games/{twins.real.game_id}", twins.length
    paths = ["/api/v1/games", game, f"{game}?entry=1", f"{game}?entry={1 + length // 2}",
             f"{game}/orders?limit=1000", f"{game}/record",
             *(f"{game}/history?limit=100&from={first}" for first in range(1, length + 1, 100))]
    refused = [] if twins.real.viewer is SPECTATOR else [*illegal(twins), *SLIPS]
    tried = [] if twins.real.viewer is SPECTATOR else [*some_legal(twins), *refused]

    answers = [twins.same(ask, path) for path in paths]
    answers += [twins.same(ask, f"{game}/preview", orders=line, seen=length) for line in tried]
    answers += [twins.same(ask, f"{game}/orders", orders=line, seen=length) for line in refused]

    looked_on = twins.real.viewer is SPECTATOR
    assert [answer[:3] for answer in answers[: len(paths)]] == [
        "200", "200", "200", "200", "403" if looked_on else "200", "404",
        *["200"] * (len(paths) - 6)]
    assert_silent(twins, answers)


TOKEN = "carreira_known_to_tests"


def give_programs_access(site: Site) -> None:
    """A token and feeds for the viewer, or for a stranger who looks on, alike in both sites."""
    with site.service.writing() as session:
        if session.exec(select(ApiToken)).first():
            return
        number = site.viewer
        own = session.exec(select(SeatRow).where(SeatRow.number == number)).first()
        if own is None:
            stranger = Person(name="Eva", address="eva@players.example", created=NOON)
            session.add(stranger)
            session.flush()
        person_id = stranger.id if own is None else own.person_id
        session.add(ApiToken(person_id=person_id, hash=hashed(TOKEN), name="x",
                             scopes="read play", created=NOON, used=NOON,
                             expires=NOON + timedelta(days=90)))
        session.add(FeedAddress(person_id=person_id, nonce="0" * 32))
        session.commit()


def secret_of(site: Site) -> str:
    """What stands in the viewer's feed addresses."""
    with site.service.reading() as session:
        address = session.exec(select(FeedAddress)).one()
        person = session.get_one(Person, address.person_id)
        return feed_addresses.secret_of(session, site.service.settings.keys, person) or ""


def ask(site: Site, path: str, **sent: Any) -> str:
    """What a program is answered, with all headers."""
    head = {"Authorization": f"Bearer {TOKEN}", "Idempotency-Key": "one"}
    if sent:
        return told(site.browser.post(path, json=sent, headers=head))
    return told(site.browser.get(path, headers=head))


@pytest.mark.parametrize("key", registry.GAMES)
def test_no_spectator_learns_which_moves_made_themselves(
    key: str, tmp_path_factory: pytest.TempPathFactory, empty_database: Path
) -> None:
    """A forced move says something about what the seat holds: only its owner may know."""
    played = next(
        each for each in (play_out(key, registry.game(key).seats[-1], seed) for seed in SEEDS)
        if any(cause_of(each, step) == "forced" for step in each.steps)
    )  # fmt: skip
    length = 1 + [cause_of(played, step) for step in played.steps].index("forced")
    pages = []
    for cause in (cause_of, chosen_by_its_owner):
        service = service_in(database_in(tmp_path_factory, empty_database))
        game_id = stored_game(service, played, played.turns[:length], cause)
        site = Site(service, game_id, SPECTATOR)
        give_programs_access(site)
        pages.append([
            site.get(f"/games/{game_id}"), site.get(f"/games/{game_id}/{length}"),
            site.get(f"/games/{game_id}/feed.atom"),
            *(ask(site, f"/api/v1/games/{game_id}/history?limit=100&from={first}")
              for first in range(1, length + 1, 100)),
        ])  # fmt: skip
        service.engine.dispose()

    assert pages[0] == pages[1]


def chosen_by_its_owner(played: PlayOut, step: Step) -> str:
    """The cause of a move that did not make itself."""
    return "start" if step.seat is None else "order"


# ---- what trying things out tells --------------------------------------------------------------


def test_no_preview_and_no_refusal_tells_what_is_hidden(twins: Twins) -> None:
    """Legal orders of every kind, illegal ones and slips, sent for a preview and for good."""
    if twins.real.viewer is SPECTATOR:
        pytest.skip("who looks on sends nothing")
    game, seen = f"/games/{twins.real.game_id}", twins.length
    refused = [*illegal(twins), *SLIPS]

    answers = [
        twins.same(Site.post, f"{game}/preview", order=line, seen=seen)
        for line in [*some_legal(twins), *refused]
    ]
    answers += [twins.same(Site.post, f"{game}/orders", order=line, seen=seen) for line in refused]

    assert {answer[:3] for answer in answers[-len(refused) :]} == {"422"}
    assert_silent(twins, answers)


SLIPS = ("bye", "nonsense 7")


def some_legal(twins: Twins) -> list[str]:
    """One legal order of each kind, and one that reveals something if there is any."""
    seat = twins.real.viewer or 0
    kinds = {type(move): move for move in islice(
        twins.played.game.legal_actions(twins.state, seat), 500)}
    moves = [*kinds.values(), *reveals(twins.played, twins.state, seat)[:1]]
    return [twins.played.game.to_text(move) for move in moves]


def illegal(twins: Twins) -> list[str]:
    """Readable orders that the rules refuse now."""
    game, seat = twins.played.game, twins.real.viewer or 0
    lines = (game.to_text(move) for move in known_moves(game.key)[::41])
    return list(islice((line for line in lines if is_refused(twins, line, seat)), 2))


def is_refused(twins: Twins, line: str, seat: int) -> bool:
    """Whether the order cannot be played now."""
    try:
        play.letter(twins.played.game, twins.state, seat, line, {})
    except MoveRefused:
        return True
    return False


# ---- log and letters ---------------------------------------------------------------------------


def test_the_log_tells_the_same_in_every_language(twins: Twins) -> None:
    """From the first entry to the newest."""
    logs = [twins.same(log_of, twins.length, language) for language in LANGUAGES]

    assert len(set(logs)) == len(LANGUAGES)
    assert_silent(twins, logs)


def log_of(site: Site, upto: int, language: str) -> str:
    """All lines of the log as the viewer reads them."""
    with site.service.reading() as session:
        row = site.row(session)
        entries = narration.log(session, row, upto=upto, viewer=site.viewer, limit=upto,
                              names=narration.names(session, row), language=language)
    assert len(entries) == upto
    return repr(entries)


def test_no_letter_tells_what_is_hidden(twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    """Started, your turn, refused, and a receipt: text, HTML and picture, with all headers."""
    monkeypatch.setattr(picture, "PATIENCE", 120.0)  # a busy machine must not leave one out
    if twins.real.viewer is SPECTATOR:
        pytest.skip("who looks on gets no letters")
    for site in (twins.real, twins.dealt):
        for source in ("page", "mail"):
            send_in(site, illegal(twins)[0], source)

    letters = twins.same(letters_of)

    asked = twins.real.viewer in twins.played.game.current_players(twins.state)
    assert letters.count("\nTo: ") == 3 + asked
    assert_silent(twins, [letters])


def send_in(site: Site, line: str, source: str) -> None:
    """An order that cannot be played, found so by the worker: its sender gets a letter.

    From the page it is one that says so; for what came by mail it is the receipt.
    """
    now = site.service.clock.now()
    with site.service.writing() as session:
        seat = session.exec(select(SeatRow).where(SeatRow.number == site.viewer)).one()
        sent = Submission(game_id=site.game_id, person_id=seat.person_id, seat=site.viewer or 0,
                          source=source, key=source, orders=line, seen=1, created=now)
        session.add(sent)
        session.flush()
        if source == "mail":
            session.add(came_in(sent, line))
        session.commit()
    with site.service.writing() as session:
        assert len(advance.advance(session, site.game_id, now)) >= 1


def came_in(sent: Submission, line: str) -> Inbound:
    """The letter that brought the orders."""
    row = Inbound(received=sent.created, source="smtp", recipient="turn+x@reply.example",
                  digest="0" * 64, state=InboundState.PLAYED, key=sent.key, decided=sent.created,
                  person_id=sent.person_id, game_id=sent.game_id, submission_id=sent.id)
    receipts.keep_notes(row, receipts.ReceiptNotes(lines=[line]))
    return row


def letters_of(site: Site) -> str:
    """All letters to the viewer, as texts: headers, plain text, HTML.

    Reply addresses are derived from Message-IDs, so twins draw the same nonces for these.
    """
    with site.service.reading() as session:
        own = session.exec(select(SeatRow).where(SeatRow.number == site.viewer)).one()
        address = f"{own.name.lower()}@players.example"
    told_to_viewer = []
    nonces = count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("secrets.token_hex", lambda size=32: f"{next(nonces):0{2 * size}x}")
        letters = swept(site.service).letters
    for letter in letters:
        if address not in str(letter["To"]):
            continue
        headers = [
            f"{name}: {value}" for name, value in letter.items()
            if name not in ("Message-ID", "Content-Type")
        ]
        bodies = [part.get_content() for part in letter.walk() if not part.is_multipart()]
        told_to_viewer.append("\n".join(["", *headers, *map(str, bodies)]))
    return "".join(sorted(told_to_viewer))
