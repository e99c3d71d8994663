"""What letters say: asked first, then what happened; for their reader's eyes, language and zone."""

from __future__ import annotations

import quopri
import re
from dataclasses import replace
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlmodel import col, select

from engine import bots, orders_ahead, registry
from engine.api import Transition
from engine.chance import Stream
from engine.errors import MoveRefused
from pbem.accounts import auth
from pbem.clock import FixedClock
from pbem.i18n import words
from pbem.i18n.render import MARKER, folded
from pbem.mail import message
from pbem.mail.letters import build, receipts
from pbem.mail.letters.offers import in_own_words, kind_of, own_words, samples
from pbem.mail.tokens import address_of
from pbem.models import Game, Invitation, Outbox, Person, SeatRow, SignIn, Submission
from pbem.play import advance, hash_chain, positions
from pbem.play.refusals import StoredRefusal
from pbem.service import Service
from pbem.tables import chat, invitations, lobby
from tests.support.letterfactory import (
    html_of,
    person,
    placing_game,
    play_on,
    started_game,
    swept,
    text_of,
    the_letter,
)

LONG_WORDS = re.compile(r"https?://\S+|[a-z]+\+\w+@\S+")
MAILTO = re.compile(r'href="(mailto:[^"]*)"')


def table_of(service: Service, game_id: int) -> positions.GamePosition:
    with service.reading() as session:
        return positions.table(session, session.get_one(Game, game_id))


def test_text_comes_before_html_and_every_line_is_short_enough_for_smtp(service: Service) -> None:
    started_game(service, language="ru")

    shelf = swept(service)

    for letter in shelf.letters:
        assert letter.get_content_type() == "multipart/alternative"
        kinds = [part.get_content_type() for part in letter.iter_parts()]
        assert kinds == ["text/plain", "text/html"]
    assert all(len(line) <= 998 for raw in shelf.raw for line in raw.split(b"\r\n"))
    assert all(b"\n" not in raw.replace(b"\r\n", b"") for raw in shelf.raw)
    assert all(raw.isascii() for raw in shelf.raw)


# ---- the turn letter ----------------------------------------------------------------------------


def test_a_turn_letter_says_first_what_happened_and_is_asked_and_last_when_it_was_written(
    service: Service,
) -> None:
    placing_game(service)

    lines = text_of(the_letter(service, "turn")).splitlines()

    first = " ".join(" ".join(lines[:3]).split())
    assert first.startswith("Bento sends the merchant ship")
    assert "You place an action disc. Choose a number and an area." in first
    assert lines[-1] == "Carreira, game 1, entry 2, 2026-03-02, 12:00 UTC."
    assert "    http://localhost/games/1" in lines


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_the_marker_stands_above_everything_that_could_be_taken_for_an_order(
    service: Service, language: str
) -> None:
    game = placing_game(service, language=language)
    table = table_of(service, game)
    letter = the_letter(service, "turn", "ana@")

    above, marker, below = text_of(letter).partition(f"\n{MARKER}\n")

    assert marker
    own = in_own_words(table.rules, table.state, 0, samples(table.rules, table.state, 0).lines[0],
                       language)
    assert f"\n    {own}\n" in below
    for line in above.splitlines():
        with pytest.raises(MoveRefused):
            table.rules.from_text(line.strip(), table.state, 0, words.aliases(
                "vasco-da-gama", language))  # fmt: skip
    page = html_of(letter)
    assert page.index(MARKER) < page.index(own)


def test_a_press_on_an_order_opens_an_answer_that_holds_it(service: Service) -> None:
    game = placing_game(service)
    table = table_of(service, game)
    letter = the_letter(service, "turn", "ana@")

    links = [urlsplit(unescape(link)) for link in MAILTO.findall(html_of(letter))]

    ahead = [link for link in links if "body=later%3A" in link.query]
    assert len(links) - len(ahead) == len(samples(table.rules, table.state, 0).lines)
    assert len(ahead) == 1
    for link in links:
        asked = parse_qs(link.query, strict_parsing=True)
        assert link.path == letter["Reply-To"]
        assert asked["subject"] == ["Re: [Carreira 1] Your turn – Vasco da Gama, Spring fleet"]
        now, later = orders_ahead.split(asked["body"][0])
        assert bool(now) != bool(later)
        for line in filter(None, [now]):
            table.rules.from_text(line, table.state, 0, {})
        for line in later:
            orders_ahead.read(table.rules, line, table.state, 0, {})


def test_a_letter_for_several_games_has_orders_and_an_address_for_each(service: Service) -> None:
    games = [placing_game(service, names) for names in (("Ana", "Bento"), ("Carla", "Dora"))]
    with service.writing() as session:
        ana, carla = session.exec(
            select(Person).where(col(Person.name).in_(("Ana", "Carla"))).order_by(col(Person.id))
        )
        for seat in session.exec(select(SeatRow).where(SeatRow.person_id == carla.id)):
            seat.person_id = ana.id or 0
        session.flush()
        rows = [turn_row(session, game, ana) for game in games]
        letter = composed(session, service, rows[0], others=rows[1:])

    text, page = text_of(letter), html_of(letter)
    addresses = [address_of(service.settings, "turn", row) for row in rows]
    assert addresses[0] != addresses[1]
    assert all(address in text and address in page for address in addresses)
    assert "It is your turn in 1 other game as well" in text
    assert f"VASCO DA GAMA, GAME {games[1]}" in text
    other = text.partition(f"VASCO DA GAMA, GAME {games[1]}")[2]
    for heading in ("WHAT HAPPENED SO FAR", "WHAT YOU HOLD", "LANDINGS", "THE SEATS, CLOCKWISE"):
        assert heading in other, heading
    assert page.count("The seats, clockwise from you</h2>") == 2
    assert f"http://localhost/games/{games[1]}" in text


def turn_row(session: Any, game: int, person: Person) -> Outbox:
    """A turn letter as it would be due, whether or not it is this seat's turn."""
    row = Outbox(person_id=person.id, kind="turn", game_id=game, entry=77, dedup_key=f"{game}",
                 not_before=person.created, created=person.created,
                 message_id="<turn@carreira.example>")  # fmt: skip
    session.add(row)
    session.flush()
    return row


def composed(
    session: Any, service: Service, row: Outbox, others: list[Outbox] | None = None
) -> EmailMessage:
    """The letter of a row as its reader gets it."""
    reader = build.kind_of(row).reader(session, row)
    letter = build.build(session, row, service.settings, service.clock.now(),
                             reader=reader, others=others or [])  # fmt: skip
    assert letter is not None
    return message_from_bytes(letter.raw, policy=default)


def test_what_was_said_at_the_table_is_in_the_next_turn_letter(service: Service) -> None:
    game = placing_game(service)
    with service.writing() as session:
        bento = session.exec(select(Person).where(Person.name == "Bento")).one()
        chat.post(session, game, bento, "Fair winds, <all>!", service.clock.now())
        session.commit()

    letter = the_letter(service, "turn", "ana@")

    assert "- Bento: Fair winds, <all>!" in text_of(letter)
    assert "Fair winds, &lt;all&gt;!" in html_of(letter)


def test_a_turn_letter_tells_what_happened_since_the_player_last_moved(service: Service) -> None:
    game = placing_game(service, ("Ana", "Bento", "Catarina"))
    play_on(service, game, 3)

    text = text_of(the_letter(service, "turn", "ana@"))

    news = text.partition("SINCE YOU LAST MOVED")[2].partition("THE SEATS")[0]
    told = re.findall(r"^ *(\d+)  (\w+) places", news, re.MULTILINE)
    assert told == [("4", "Bento"), ("5", "Catarina")]


def test_orders_in_a_turn_letter_are_accepted_as_they_stand(service: Service) -> None:
    game = started_game(service, ("Ana", "Bento"))
    play_on(service, game, 9)
    letters = [one for one in swept(service).letters if ".turn." in one["Message-ID"]]
    table = table_of(service, game)
    seat = table.rules.current_players(table.state)[0]

    text = text_of(letters[0])
    block = text.partition("ANSWER WITH ONE LINE")[2].partition("ORDERS AHEAD")[0]
    orders = re.findall(r"^    (\w.*)$", block, re.MULTILINE)

    assert orders
    legal = set(table.rules.legal_actions(table.state, seat))
    for order in orders:
        (move,) = table.rules.from_text(order, table.state, seat, {})
        assert move in legal


def test_a_turn_letter_shows_what_everybody_holds(service: Service) -> None:
    game = started_game(service, ("Ana", "Bento"))
    play_on(service, game, 20)
    letter = next(one for one in swept(service).letters if ".turn." in one["Message-ID"])
    table = table_of(service, game)

    seats = text_of(letter).partition("THE SEATS, CLOCKWISE FROM YOU")[2]

    for player in table.state.players:
        held = f"{player.reals} Real{'' if player.reals == 1 else 's'}, {player.vp} VP, "
        assert held in seats


def test_the_grid_of_goa_is_a_table_of_five_rows_and_columns_with_headings(
    service: Service,
) -> None:
    started_game(service, game_key="goa")
    play_on(service, 1, 4)
    html = next(html for letter in swept(service).letters
                if 'class="grid"' in (html := html_of(letter)))

    grid = html.partition('<table class="grid"')[2].partition("</table>")[0]
    columns, *rows = grid.split("<tr>")[1:]
    assert re.findall(r'scope="col"[^>]*>(\w)<', columns) == list("abcde")
    assert [re.findall(r'scope="row"[^>]*>(\d)<', row) for row in rows] == [[n] for n in "12345"]
    assert [row.count("<td") for row in rows] == [5] * 5


def test_a_turn_letter_is_not_written_for_who_is_not_asked_any_more(service: Service) -> None:
    game = placing_game(service, ("Ana", "Bento"))
    with service.reading() as session:
        row = session.exec(select(Outbox).where(Outbox.entry == 2)).one()
    play_on(service, game, 1)

    with service.reading() as session:
        row = session.get_one(Outbox, row.id)
        assert build.build(session, row, service.settings, service.clock.now()) is None


def test_a_turn_letter_leaks_nothing_that_lies_face_down(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Re-dealt behind the backs of all, the table gives the same bytes."""
    game = started_game(service, ("Ana", "Bento"))
    play_on(service, game, 12)
    with service.reading() as session:
        row = session.exec(
            select(Outbox).where(Outbox.kind == "turn").order_by(col(Outbox.id))
        ).all()[-1]
        row.message_id = "<same@carreira.example>"
        honest = body_of(composed(session, service, row))
        swap_what_lies_face_down(session, game, monkeypatch)
        other = body_of(composed(session, service, row))

    assert honest == other


def body_of(letter: EmailMessage) -> tuple[str, str]:
    return text_of(letter), html_of(letter)


def swap_what_lies_face_down(session: Any, game_id: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let letters be built from a history that differs in all that nobody has seen."""
    row = session.get_one(Game, game_id)
    rules = positions.rules_of(session, row)
    entries = positions.entries(session, row, 1, row.last_entry)
    history = [
        Transition(positions.position(session, row, entry.number), tuple(entry.events))
        for entry in entries
    ]
    dealt, differing = rules.redealt(history, 0, Stream(b"other", "deal"))
    assert differing > 0
    events = {entry.number: turn.events for entry, turn in zip(entries, dealt, strict=True)}
    read = positions.entries

    def redealt(*about: Any) -> list[Any]:
        return [
            replace(one, body=hash_chain.body_of(one.move, events[one.number]).decode())
            for one in read(*about)
        ]

    monkeypatch.setattr(positions, "position", lambda *_: dealt[-1].state)
    monkeypatch.setattr(positions, "entries", redealt)


# ---- size, width, language ----------------------------------------------------------------------


def test_letters_are_at_most_72_columns_wide_and_smaller_than_gmail_clips(
    service: Service,
) -> None:
    """In four languages, at positions from the first round to the last."""
    game = placing_game(service, ("Ana", "Bartholomaeus", "Catarina", "D"))
    written = swept(service).letters
    for _ in range(4):
        play_on(service, game, 30)
        for language in words.LANGUAGES:
            written.append(last_turn_letter_in(service, language))

    for letter in written:
        wide = [line for line in text_of(letter).splitlines() if len(line) > 72]
        assert all(LONG_WORDS.fullmatch(line.strip()) for line in wide), wide
        assert len(html_of(letter).encode()) < 100_000


def last_turn_letter_in(service: Service, language: str) -> EmailMessage:
    with service.writing() as session:
        for one in session.exec(select(Person)):
            one.language = language
        session.flush()
        due = select(Outbox).where(Outbox.kind == "turn").order_by(col(Outbox.id).desc())
        row = session.exec(due).first()
        assert row is not None
        row.message_id = "<shown@carreira.example>"
        return composed(session, service, row)


def test_a_letter_is_written_in_its_readers_language(service: Service) -> None:
    game = placing_game(service, language="hu")
    table = table_of(service, game)
    asked = words.prompt(table.rules, table.state.awaiting, viewer=0,
                         names=["Ana", "Bento"], language="hu")  # fmt: skip

    letter = the_letter(service, "turn")

    assert letter["Content-Language"] == "hu"
    assert asked in " ".join(text_of(letter).split("\n\n")[0].split())
    assert '<html lang="hu">' in html_of(letter)


@pytest.mark.parametrize("language", ["hu", "pt"])
def test_plain_letters_have_no_soft_hyphens(service: Service, language: str) -> None:
    placing_game(service, language=language)
    started_game(service, ("Dinis", "Eva"), game_key="goa", language=language)
    play_on(service, 2, 4)

    sent = swept(service).letters
    assert {"\u00ad" in html_of(letter) for letter in sent} >= {True}  # HTML breaks words at them
    assert not [letter["Subject"] for letter in sent if "\u00ad" in text_of(letter)]


def test_html_shows_titles_as_they_were_typed(service: Service) -> None:
    game = placing_game(service)
    with service.writing() as session:
        session.get_one(Game, game).title = "<b>Fleet</b> & co"
        session.commit()

    letter = the_letter(service, "turn")

    assert "&lt;b&gt;Fleet&lt;/b&gt; &amp; co" in html_of(letter)
    assert "<b>Fleet</b> & co" in text_of(letter)


def test_dark_mode_survives_and_nothing_is_fetched(service: Service) -> None:
    placing_game(service)

    html = html_of(the_letter(service, "turn"))

    assert "prefers-color-scheme: dark" in html
    assert "<img" not in html
    assert "<script" not in html
    assert "src=" not in html
    assert "url(" not in html
    seen = re.sub(r"<!--.*?-->", "", html, flags=re.DOTALL)
    assert not re.search(r"<td(?![^>]*style=)", seen)


# ---- the other kinds ----------------------------------------------------------------------------


def test_a_sign_in_letter_carries_a_link_and_a_code_that_work(service: Service) -> None:
    now = service.clock.now()
    with service.writing() as session:
        asked = auth.ask_to_sign_in(
            session, address="new@players.example", browser="cookie", registration="open",
            language="pt", then=None, now=now,
        )  # fmt: skip
        session.commit()

    text = text_of(the_letter(service, "sign_in"))

    code = re.search(r"\b\d{6}\b", text)
    link = re.search(r"http://localhost/sign-in/(\S+)", text)
    assert code is not None
    assert link is not None
    with service.writing() as session:
        by_link = auth.by_link(session, link[1], now)
        assert by_link is not None
        assert by_link.id == asked.id
        assert auth.prove_by_code(session, "cookie", code[0], now) is not None


def test_a_second_address_is_written_to_itself_and_says_whose_it_would_be(
    service: Service,
) -> None:
    with service.writing() as session:
        ana = person(session, "Ana")
        auth.ask_for_second_address(session, person=ana, address="ana@work.example",
                                    browser="cookie", now=service.clock.now())  # fmt: skip
        session.commit()

    shelf = swept(service)

    assert shelf.recipients == ["ana@work.example"]
    assert "http://localhost/sign-in/" in text_of(shelf.letters[0])
    with service.reading() as session:
        assert session.exec(select(SignIn)).one().link_hash is not None


def test_an_invitation_says_who_invites_to_what_and_what_fixes_its_chance(
    service: Service,
) -> None:
    now = service.clock.now()
    with service.writing() as session:
        ana = person(session, "Ana")
        game = lobby.open_game(
            session, host=ana, game_key="vasco-da-gama", title="Winter fleet", seats=3,
            chosen_order=False, private=True, components=None, phrase="", open_days=30, now=now,
        )  # fmt: skip
        invitations.invite(session, game_id=game.id or 0, host=ana,
                           address="guest@players.example", a_day=40, now=now)  # fmt: skip
        session.commit()

    letter = the_letter(service, "invited")

    text = text_of(letter)
    assert letter["To"] == "guest@players.example"
    assert letter["Subject"] == "Ana invites you to Vasco da Gama, Winter fleet"
    assert text.startswith("Ana invites you to a game of Vasco da Gama, played by mail.\n")
    assert "Players: 3. Joined so far: Ana." in text
    assert game.commitment in text
    link = re.search(r"http://localhost/invitations/(\S+)", text)
    assert link is not None
    with service.reading() as session:
        found = invitations.invitation_by(session, service.settings.keys, link[1])
        assert found == session.exec(select(Invitation)).one()


def test_a_withdrawn_invitation_is_not_sent(service: Service) -> None:
    now = service.clock.now()
    with service.writing() as session:
        ana = person(session, "Ana")
        game = lobby.open_game(
            session, host=ana, game_key="vasco-da-gama", title="", seats=3, chosen_order=False,
            private=True, components=None, phrase="", open_days=30, now=now,
        )  # fmt: skip
        invitations.invite(session, game_id=game.id or 0, host=ana,
                           address="guest@players.example", a_day=40, now=now)  # fmt: skip
        session.commit()
        lobby.cancel(session, game_id=game.id or 0, host=ana, now=now)
        session.commit()

    assert "guest@players.example" not in swept(service).recipients


def test_everybody_hears_that_the_game_has_started_and_what_they_play(service: Service) -> None:
    started_game(service, ("Ana", "Bento", "Catarina"))

    letters = {one["To"].addresses[0].display_name: one
               for one in swept(service).letters if ".started." in one["Message-ID"]}  # fmt: skip

    assert sorted(letters) == ["Ana", "Bento", "Catarina"]
    text = text_of(letters["Bento"])
    assert text.startswith("The game has started. You play red. The game waits for Catarina")
    assert "  2  Bento (B, red) (you)" in text
    assert "- Ana: by the tower" in text
    assert "operator" not in text


def test_everybody_hears_which_player_runs_the_site(service: Service) -> None:
    now = service.clock.now()
    started_game(service, ("Ana", "Bento"), operator=now)

    started = [one for one in swept(service).letters if ".started." in one["Message-ID"]]
    assert len(started) == 2
    for letter in started:
        for body in (text_of(letter), unescape(html_of(letter))):
            said = "Ana, Bento (operator): runs this site, and could read its database."
            assert said in " ".join(body.split())


def test_orders_that_came_back_are_in_the_letter_with_the_reason_and_what_would_do(
    service: Service,
) -> None:
    game = placing_game(service, ("Ana", "Bento"))
    swept(service)
    with service.writing() as session:
        seat = session.exec(select(SeatRow).where(SeatRow.number == 0)).one()
        session.add(Submission(
            game_id=game, person_id=seat.person_id, seat=0, source="page", key="late",
            orders="give up\nplace 3 navigation", seen=1, created=service.clock.now(),
        ))  # fmt: skip
        session.commit()
        advance.advance(session, game, service.clock.now())

    text = text_of(the_letter(service, "refused"))

    assert "(VG-2.2)" in text
    assert "Nothing of your orders was played. What came back:" in text
    assert "\n    give up\n    place 3 navigation\n" in text
    assert "\n    place 1 navigation\n" in text.partition("would have been accepted:")[2]


def test_the_last_letter_shows_each_players_score_by_source(service: Service) -> None:
    game = started_game(service, ("Ana", "Bento"))
    play_on(service, game, 400)
    table = table_of(service, game)
    standings = table.rules.returns(table.state)

    letter = next(one for one in swept(service).letters if ".finished." in one["Message-ID"])

    text = text_of(letter)
    best_first = sorted(standings, key=lambda each: (each.place, each.seat))
    for source in standings[0].by_source:
        label = words.term("vasco-da-gama", f"source_{source}", "en")
        figures = r"\s+".join(str(each.by_source[source]) for each in best_first)
        assert re.search(rf"^{re.escape(label)}\s+{figures}$", text, re.MULTILINE), label
    totals = r"\s+".join(str(each.points) for each in best_first)
    assert re.search(rf"^Total\s+{totals}$", text, re.MULTILINE)
    assert "http://localhost/games/1/record" in text
    assert letter["Subject"] == "[Carreira 1] Vasco da Gama, Spring fleet is over"


def test_a_game_called_off_or_expired_is_told_to_all_who_had_joined(
    service: Service, clock: FixedClock
) -> None:
    with service.writing() as session:
        people = [person(session, name) for name in ("Ana", "Bento")]
        games = [
            lobby.open_game(
                session, host=people[0], game_key="vasco-da-gama", title="", seats=3,
                chosen_order=True, private=False, components=None, phrase="", open_days=30,
                now=clock.now(),
            )
            for _ in range(2)
        ]  # fmt: skip
        for game in games:
            lobby.join(session, game_id=game.id or 0, person=people[1], phrase="", now=clock.now())
        session.commit()
        lobby.cancel(session, game_id=games[0].id or 0, host=people[0], now=clock.now())
        session.commit()
        clock.forward(timedelta(days=31))
        lobby.expire(session, clock.now())
        session.commit()

    subjects = [letter["Subject"] for letter in swept(service).letters]

    assert "[Carreira 1] Vasco da Gama was called off" in subjects
    assert subjects.count("[Carreira 2] Vasco da Gama did not find its players") == 2


def test_a_time_in_a_letter_is_told_by_the_readers_clock(
    service: Service, clock: FixedClock
) -> None:
    with service.writing() as session:
        person(session, "Ana", zone="Europe/Lisbon", language="pt")
        auth.ask_to_sign_in(session, address="ana@players.example", browser="c",
                            registration="open", language="en", then=None,
                            now=clock.now())  # fmt: skip
        session.commit()

    text = text_of(the_letter(service, "sign_in"))

    assert "12:20 (Lisboa, UTC+00:00)" in " ".join(text.split())


# ---- samples and folding ------------------------------------------------------------------------


def test_orders_to_place_are_the_best_number_of_each_area(service: Service) -> None:
    game = placing_game(service, ("Ana", "Bento", "Catarina", "Duarte"))
    table = table_of(service, game)
    asked = table.rules.current_players(table.state)[0]
    answers = list(table.rules.answers(table.state, asked))

    some = samples(table.rules, table.state, asked)

    assert sorted(line.split()[2] for line in some.lines) == [
        "characters", "navigation", "projects", "recruiting"]
    whim = Stream(b"whims", "1")
    assert bots.choose(table.rules, table.state, asked, "steady", whim)[0] == some.moves[0]
    assert some.others == len(answers) - len(some.lines)


@pytest.mark.parametrize("key", ["vasco-da-gama", "goa"])
@pytest.mark.parametrize("language", ["en", "hu", "ru", "pt"])
def test_five_orders_at_most_unlike_each_other_are_read_in_their_readers_words(
    service: Service, key: str, language: str
) -> None:
    game = started_game(service, ("Ana", "Bento"), game_key=key)
    aliases = words.aliases(key, language)
    for _ in range(40):
        table = table_of(service, game)
        for seat in table.rules.current_players(table.state):
            some = samples(table.rules, table.state, seat)
            kinds = {kind_of(line) for line in some.lines}
            assert 1 <= len(some.lines) <= 5
            assert len(kinds) == len(some.lines) or len(some.lines) <= 2 * len(kinds) + 1
            for move, order in zip(some.moves, some.lines, strict=True):
                line = in_own_words(table.rules, table.state, seat, order, language)
                assert table.rules.from_text(line, table.state, seat, aliases) == [move]
        play_on(service, game, 1)


def test_a_hungarian_reader_is_offered_hungarian_words(service: Service) -> None:
    game = placing_game(service, language="hu")
    table = table_of(service, game)
    order = samples(table.rules, table.state, 0).lines[0]
    assert in_own_words(table.rules, table.state, 0, order, "hu") != order


@pytest.mark.parametrize("language", ["hu", "ru", "pt"])
@pytest.mark.parametrize("game", registry.GAMES)
def test_an_order_names_a_place_as_the_table_does(game: str, language: str) -> None:
    own, terms = own_words(game, language), words.game_words(game, language).terms
    for key in terms:
        kind, _, place = key.partition("_")
        if kind in ("place", "landing") and place in own:
            assert own[place] in str(terms[key]).lower()


def test_what_would_have_been_accepted_is_said_in_the_readers_words(service: Service) -> None:
    game = placing_game(service, language="hu")
    table = table_of(service, game)
    order = samples(table.rules, table.state, 0).lines[0]
    why = StoredRefusal("not_legal", "VG-2.2", {}, [order])
    with service.reading() as session:
        seat = session.exec(select(SeatRow).where(SeatRow.number == 0)).one()

    assert receipts.choices(table, seat, why, "hu") == [
        in_own_words(table.rules, table.state, 0, order, "hu")]
    assert receipts.choices(table, seat, why, "hu") != [order]


def test_long_lines_are_folded_under_their_own_beginning_and_addresses_stay_whole() -> None:
    link = "http://localhost/sign-in/" + "x" * 80

    text = folded(f" 12  {'word ' * 20}\n\n\n\n\n    {link}\n")

    first, second, *_ = text.splitlines()
    assert len(first) <= 72
    assert second.startswith("     word")
    assert f"    {link}" in text.splitlines()
    assert "\n\n\n" not in text


@given(st.lists(st.sampled_from(
    ["\n", "\r\n", " ", "\t", "=", ".", "é", "→", "word", "x" * 75, "y" * 200]), max_size=40))
def test_an_encoded_text_reads_as_before_in_lines_that_every_server_takes(
    pieces: list[str]
) -> None:
    text = "".join(pieces).replace("\r\n", "\n").encode()
    encoded = message.quoted_printable("".join(pieces).encode())
    assert quopri.decodestring(encoded.replace(b"\r\n", b"\n")) == text
    assert encoded.count(b"\r\n") == encoded.count(b"\n") == encoded.count(b"\r")
    assert all(len(line) <= 76 and not line.endswith((b" ", b"\t"))
               for line in encoded.split(b"\r\n"))
