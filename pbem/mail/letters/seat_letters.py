"""Builds letters about seats: an offer to take one over, a vote, the end of a vacation."""

from __future__ import annotations

from sqlmodel import Session

from pbem.archive import progress
from pbem.clocks import terms
from pbem.i18n import words
from pbem.mail.letter import Occasion, Values
from pbem.mail.letters.context import Overtaken, about, seated
from pbem.mail.letters.offers import address_of, plain_ask
from pbem.models import Game, Invitation, Person
from pbem.play import narration, positions
from pbem.tables import invitations, lists, vacation, votes


def take_over(it: Occasion) -> Values:
    """Say which seat is vacant in which game, how a spectator sees its standing, and its clock."""
    invitation = it.session.get_one(Invitation, it.row.invitation_id)
    game = it.session.get_one(Game, invitation.game_id)
    token = invitations.invitation_token(it.settings.keys, invitation)
    by = it.session.get_one(Person, invitation.by_id).name
    values = about(it, game)
    subject = words.gettext("A free seat in %(game)s", it.reader.language) % {
        "game": values["table_called"]}  # fmt: skip
    return values | standing(it.session, game, invitation.seat or 0, it.reader.language) | {
        "by": "" if invitation.offered else by,
        "ask": plain_ask(address_of(it.settings, it.row), subject,
                         ("accept", "decline")),
        "link": f"{it.settings.base_url}/invitations/{token}",
        "until": invitation.created + invitations.TO_ANSWER if invitation.offered else None,
        "terms_said": terms.in_words(terms.of(game), it.reader.language),
    }


def standing(session: Session, game: Game, seat: int, language: str) -> Values:
    """Return a game's standing for a spectator: round, points, vacant seat."""
    table = positions.table(session, game)
    names = [words.called(name, language) for name in narration.names(session, game)]
    tallies = progress.tallies_at(session, game, game.last_entry, None)
    number = table.rules.chapter(table.state)[0]
    return {
        "was": names[seat],
        "vacant": seat,
        "round": words.round_name(table.rules, language, number) if number else "",
        "points": [(name, sum(tally.points.values()))
                   for name, tally in zip(names, tallies, strict=True)],
        "entries": game.last_entry,
    }


def vote(it: Occasion) -> Values:
    """Say whom the vote is about, the options, and until when it runs."""
    values, table, seat = seated(it)
    asked = votes.ballot(
        it.session, table.row, it.session.exec(positions.seats_of(table.row)).all()
    )
    if asked is None or seat.number in asked.said or seat.number not in asked.asked:
        raise Overtaken
    return values | {
        "who": values["names"][asked.absent.seat],
        "until": asked.until,
        "may_cancel": votes.CANCEL in asked.choices,
        "link": f"{values['table_link']}#vote",
    }


def vacation_over(it: Occasion) -> Values:
    """Say that the clocks run again, which games wait, and how many days are left."""
    person = it.session.get_one(Person, it.row.person_id)
    site, language = it.settings.base_url, it.reader.language
    waiting = [
        (f"{words.term(one.game.game, 'game_name', language)} {one.game.id}",
         f"{site}/games/{one.game.id}")
        for one in lists.mine(it.session, person.id or 0) if one.is_asked
    ]
    return {
        "waiting": waiting,
        "left": vacation.days_left(it.session, person, it.now, it.settings.vacation_days),
        "most": it.settings.vacation_days,
        "page": f"{site}/account#h-away",
    }
