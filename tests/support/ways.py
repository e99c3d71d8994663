"""How each route of the site is asked: what stands in its address, and what its form holds.

The games of `CaseWorld` are in four scenes; each has people in the same roles.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlmodel import select

from pbem.accounts import feed_addresses
from pbem.models import Invitation, Outbox, Person, SeatRow, Vacation, stored_id
from pbem.models.archive import ApiToken, Note, WebHook
from pbem.models.operators import Recovery, Report
from pbem.tables import blocks
from tests.support import tables
from tests.support.world import World, world

ORDER = "merchant mombasa>5"  # what Catarina is asked for first
AHEAD = "place 8 recruiting else 9 recruiting else ask"
SET = {"game": "goa", "title": "", "seats": "4", "order": "random", "visibility": "public",
       "set": "standard", "components": "", "phrase": ""}
PERSON = {"name": "Somebody", "language": "en", "zone": "UTC"}

# What a form holds where an empty one would be misread; places are filled with the world's facts.
FORMS: dict[str, dict[str, str]] = {
    "account.change": PERSON, "account.change_time": {
        "from": "07:00", "to": "23:00", "weekday": "1"},
    "account.second_address": {"second_address": "else@players.example"},
    "account.end_browsers": {"browser": "others"},
    "orders.add_ahead": {"lines": AHEAD, "seen": "1", "token": "t" * 12},
    "integrations.make_token": {"name": "mine", "days": "30"},
    "quick_start.begin_to_learn": {"game": "goa"}, "quick_start.begin_solo": {
        "game": "goa", "bots": "1", "kind": "random"},
    "quick_start.begin_with_friends": {"game": "goa", "seats": "3", "title": ""},
    "consent.propose": {"entry": "2"}, "consent.answer": {"proposal": "1", "answer": "yes"},
    "consent.go_on_by_newer_rules": {"answer": "yes", "to": "x"},
    "letter_links.answer_held": {"answer": "throw_away"},
    "integrations.add_hook": {"url": "https://example.org/hook"},
    "integrations.confirm_hook": {"challenge": "x"},
    "invitations.answer": {"answer": "decline"},
    "letters.change_wish": {"of": "all", "how": "at_once"},
    "lobby.add_bot": {"kind": "random"},
    "lobby.cancel": {"agree": "yes"}, "lobby.invite": {"address": "new@players.example"},
    "lobby.open_game": SET, "lobby.remove": {"seat": "{guest_seat}"},
    "lobby.withdraw": {"invitation": "{invitation_number}"},
    "blocks.lift": {"person": "{eszter}"},
    "blocks.report_player": {"text": "Look."}, "blocks.report_line": {"text": "Look."},
    "seat.write_note": {"entry": "1", "text": "Mine."},
    "seat.change_note": {"text": "Other words."},
    "operator_failures.lift_pause": {"domain": "slow.example", "why": "it is up"},
    "operator_people.find": {"text": "ana@players.example"},
    "operator_people.recover": {"address": "safe@elsewhere.example", "why": "rang"},
    "operator_reports.settle": {"outcome": "Talked to."},
    "operator_reports.mute": {"days": "3", "why": "loud"},
    "seat.chat": {"text": "Hello."}, "seat.undo": {"entry": "2"},
    "seats.invite": {"address": "new@players.example"}, "seats.vote": {"answer": "wait"},
    "seats.wait": {"game": "goa"},
    "sign_in.send_letter": {"address": "ana@players.example"},
    "sign_in.use_code": {"code": "000000"}, "sign_in.register": PERSON,
    "orders.send_orders": {"order": ORDER, "seen": "1", "token": "t" * 12},
    "orders.preview_orders": {"order": ORDER, "seen": "1", "token": "t" * 12},
    "letter_links.stop_letters": {"stop": "all"},
    "availability.announce_vacation": {"days": "2", "from": "2026-07-01"},
}  # fmt: skip
QUERIES = {"compare.show": "?a=1&b=1", "devmail.letter": "", "archive.games": "?player=Eszter"}
BODIES: dict[str, dict[str, Any]] = {
    "api.send_orders": {"orders": ORDER, "seen": 1},
    "api.preview": {"orders": ORDER, "seen": 1},
    "api.order_ahead": {"orders": f"later: {AHEAD}", "seen": 1},
}
# What stands in an address besides the game, by route; the names of facts.
NUMBERS: dict[str, dict[str, str]] = {
    "table.at_entry": {"number": "entry"}, "link_preview.picture": {"number": "entry"},
    "seat.change_note": {"number": "note"},
    "orders.withdraw_ahead": {"number": "nine"}, "api.withdraw_ahead": {"number": "nine"},
    "api.what_became": {"number": "submission"}, "integrations.revoke_token": {"number": "token"},
    "integrations.confirm_hook": {"number": "hook"}, "integrations.ask_again": {"number": "hook"},
    "integrations.remove_hook": {"number": "hook"},
    "availability.end_vacation": {"number": "vacation"},
    "invitations.show": {"token": "invitation"}, "invitations.answer": {"token": "invitation"},
    "invitations.join_page": {"token": "join"}, "invitations.join": {"token": "join"},
    "letter_links.stop_letters_page": {"token": "u"}, "letter_links.stop_letters": {"token": "u"},
    "letter_links.recovery_page": {"token": "recovery_stop"},
    "letter_links.use_recovery": {"token": "recovery_stop"},
    "seats.vote": {"place": "missed_place"},
    "operator_failures.give_up_letter": {"letter_id": "stuck"},
    "operator_people.stop": {"person_id": "gil"},
    "sign_in.link": {"token": "link"}, "sign_in.use_link": {"token": "link"},
}
USUAL = {
    "inbound_id": "held", "row_id": "own_letter", "person_id": "eszter", "other_id": "fedor",
    "chat_id": "line", "report_id": "report", "letter_id": "dead", "recovery_id": "recovery",
    "series_id": "series", "place": "place", "secret": "secret", "name": "letter",
    "filename": "style", "game_key": "key",
}


@dataclass(frozen=True)
class Scene:
    """A game in some state, and who is who at its table; None where nobody can be."""

    name: str
    game: str  # the fact that holds its number
    people: dict[str, str | None]


SCENES = {scene.name: scene for scene in (
    Scene("running", "hands", {
        "asked": "Catarina", "waiting": "Fedor", "left": "Duarte", "host": "Ana",
        "invited": "Gil", "other": "Eszter"}),
    Scene("private", "hands", {
        "asked": "Catarina", "waiting": "Fedor", "left": "Duarte", "host": "Ana",
        "invited": "Gil", "other": "Eszter"}),
    Scene("open", "open", {
        "asked": None, "waiting": "Bento", "left": "Duarte", "host": "Ana",
        "invited": "Gil", "other": "Eszter"}),
    Scene("over", "over", {
        "asked": None, "waiting": "Fedor", "left": None, "host": "Eszter",
        "invited": None, "other": "Catarina"}),
    Scene("", "hands", {
        "asked": "Catarina", "waiting": "Fedor", "left": "Duarte", "host": "Ana",
        "invited": "Gil", "other": "Bento"}),
)}  # fmt: skip
EVERYWHERE = {"visitor": None, "spectator": "Eva", "operator": "Olga", "blocked": "Hugo"}
ROLES = ("visitor", "spectator", "other", "invited", "blocked", "operator", "left", "waiting",
         "asked", "host")


@contextmanager
def case_world(folder: Path, empty_database: Path) -> Iterator[World]:
    """The world with Eva, who plays nothing, Hugo, blocked by Ana, and things of Ana's."""
    with world(folder, empty_database) as made:
        made.app.config["WTF_CSRF_ENABLED"] = False
        with made.service.writing() as session:
            for name in ("Eva", "Hugo"):
                made.people[name] = stored_id(
                    tables.person(session, name, made.service.clock.now()))
            blocker, blocked = (session.get_one(Person, made.people[name])
                                for name in ("Ana", "Hugo"))
            blocks.block(session, blocker, blocked, made.service.clock.now())
            session.commit()
        more(made)
        yield made


def more(made: World) -> None:
    """What a route of one's own needs to stand in its address."""
    facts, ana = made.facts, made.people["Ana"]
    made.post("Duarte", f"/games/{facts['open']}/join", phrase="")
    made.post("Duarte", f"/games/{facts['open']}/leave")
    made.post("Ana", f"/games/{facts['hands']}/notes", entry=1, text="Of hands.")
    with made.service.reading() as session:
        def first(kind: Any, *where: Any) -> Any:
            return session.exec(select(kind).where(*where).order_by(kind.id.desc())).first()

        facts |= {
            "note": first(Note, Note.game_id == facts["hands"]).id,
            "hook": first(WebHook, WebHook.person_id == ana).id,
            "token": first(ApiToken, ApiToken.person_id == ana).id,
            "vacation": first(Vacation, Vacation.person_id == ana).id,
            "report": first(Report).id, "recovery": first(Recovery).id,
            "dead": first(Outbox, Outbox.state == "dead").id,
            "stuck": first(Outbox, Outbox.settled.is_(None), Outbox.kind == "test").id,
            "own_letter": first(Outbox, Outbox.person_id == ana,
                                Outbox.game_id.is_not(None),
                                Outbox.state == "sent").id,
            "guest_seat": first(SeatRow, SeatRow.game_id == facts["open"],
                                SeatRow.person_id == made.people["Bento"]).id,
            "invitation_number": first(
                Invitation, Invitation.game_id == facts["open"]).id,
            "entry": 1, "nine": 9, "submission": 1, "place": 2, "missed_place": 3,
            "secret": feed_addresses.secret_of(session, made.service.settings.keys,
                                      session.get_one(Person, ana)),
            "style": "site.css", "key": "goa",
        }  # fmt: skip
