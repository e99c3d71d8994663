"""Handles a letter that answers an invitation. Known players can accept it, anybody can decline."""

from __future__ import annotations

from datetime import timedelta

from pbem.accounts import auth
from pbem.i18n import words
from pbem.i18n.words import msgid
from pbem.mail.incoming.commands import OF_INVITATIONS, Word, spoken
from pbem.mail.incoming.verdict import Case, answer, begun_again, decide
from pbem.mail.letters.offers import table_called
from pbem.models import Game, InboundState, Invitation, InvitationState, Person
from pbem.names import BadText
from pbem.play import receipts
from pbem.play.receipts import CommandAnswer, ReceiptNotes
from pbem.play.refusals import TableRefused
from pbem.tables import invitations
from pbem.tables.lobby import LobbyRefused

TEXTS = {
    "full": msgid("All chairs are taken at present."),
    "running": msgid("The game has begun, so this cannot be changed any more."),
    "finished": msgid("The game is over."),
    "cancelled": msgid("The game was cancelled."),
    "expired": msgid("The game was open for too long and has ended without a start."),
    "not_invited": msgid("This invitation was declined or taken back."),
    "invitation_used": msgid("Somebody has accepted this invitation already."),
    "name_looks_alike": msgid(
        "Your name looks like %(name)s, who sits at this table. Change yours on your account page, "
        "then join."),
    "not_for_you": msgid("The free chairs of this table are kept for others."),
    "blocked_here": msgid(
        "Somebody whom you have blocked sits at this table: %(names)s. Nothing was done; you can "
        "still sit down on its page."),
    "other": msgid("You could not be seated. The page of the invitation says why."),
}


def answer_invitation(case: Case, objection: str | None) -> None:
    """Do what the letter says.

    `objection` is why it may come from somebody else than the invited one.
    """
    invitation = case.bound.invitation
    assert invitation is not None  # noqa: S101  (or the letter had been given to others)
    said = spoken(case.mail.lines, case.bound.language, lambda line: True, OF_INVITATIONS)
    told = ReceiptNotes(lines=list(said.orders), signed=said.signed, link=link(case, invitation))
    word = said.words[0] if len(said.words) == 1 and not said.orders else None
    if word is None:
        told.lines = list(case.mail.lines)
        told.why = "invitation_unread"
        reply(case, InboundState.REFUSED, told, told.why)
    elif objection is None and (word.word != "accept" or may_sit_down(case)):
        do(case, invitation, word, told)
    else:
        told.why = "finish_on_page"
        reply(case, InboundState.HELD, told, objection or told.why)


def link(case: Case, invitation: Invitation) -> str:
    """Return the URL of the invitation's page."""
    settings = case.service.settings
    token = invitations.invitation_token(settings.keys, invitation)
    return f"{settings.base_url}/invitations/{token}"


def reply(case: Case, state: InboundState, told: ReceiptNotes, reason: str | None) -> None:
    """Answer a known player as usual. An unknown address gets one answer per reason and day."""
    if case.bound.person is not None:
        answer(case, state, told, reason=reason)
        return
    decide(case.row, state, case.now, reason=reason, told=told)
    receipts.rejection_due(
        case.session, case.row, case.now, address=case.bound.address, kind="receipt"
    )


def do(case: Case, invitation: Invitation, word: Word, told: ReceiptNotes) -> None:
    """Accept, decline or explain."""
    try:
        text = {"accept": accept, "decline": decline, "help": explain}[word.word](
            case, invitation, word
        )
    except (LobbyRefused, BadText, TableRefused) as refused:
        if begun_again(case):
            told.words = [CommandAnswer(word.word, why(refused, case.bound.language))]
            reply(case, InboundState.REFUSED, told, getattr(refused, "key", "bad_text"))
        return
    told.words = [CommandAnswer(word.word, text)]
    reply(case, InboundState.PLAYED, told, word.word)


def may_sit_down(case: Case) -> bool:
    """Return whether the writer is known or may become a player by letter."""
    if case.bound.person is not None:
        return True
    registration = case.service.settings.registration
    return auth.may_enter(case.session, case.bound.address, registration)


def accept(case: Case, invitation: Invitation, word: Word) -> str:
    """Take the seat. The text after the command is the player's phrase for the game's chance."""
    person = case.bound.person or auth.register_by_letter(
        case.session, address=case.bound.address, language=case.bound.language, now=case.now,
        registration=case.service.settings.registration,
        name=f"{words.gettext('Guest', case.bound.language)} {invitation.id}",
    )  # fmt: skip
    seat = invitations.accept(
        case.session, invitation=invitation, person=person, phrase=word.text,
        now=case.now, letter_delay=timedelta(seconds=case.service.settings.letter_delay),
    )  # fmt: skip
    game = case.session.get_one(Game, seat.game_id)
    host = case.session.get_one(Person, game.host_id).name
    language = case.bound.language
    said = words.gettext("You sit at the table of %(host)s: %(game)s.", language,
                         host=host, game=table_called(game, language))  # fmt: skip
    if person.unnamed:
        said = words.gettext(
            "%(said)s You are called %(name)s there until you sign in and choose a name.", language,
            said=said, name=person.name,
        )  # fmt: skip
    return f"{said} {case.service.settings.base_url}/games/{seat.game_id}"


def decline(case: Case, invitation: Invitation, word: Word) -> str:
    """Decline. An invitation that was accepted stays accepted."""
    if invitation.state == InvitationState.PENDING:
        invitations.decline(case.session, invitation)
    elif invitation.state != InvitationState.DECLINED:
        raise LobbyRefused("invitation_used" if invitation.state == InvitationState.ACCEPTED
                           else "not_invited")  # fmt: skip
    return words.gettext("You have declined. The host sees that.", case.bound.language)


def explain(case: Case, invitation: Invitation, word: Word) -> str:
    """Explain which answers are possible."""
    return words.gettext("Answer “accept” or “decline” in the first line.", case.bound.language)


def why(refused: LobbyRefused | BadText | TableRefused, language: str) -> str:
    """Return a sentence that says why nobody was seated."""
    if isinstance(refused, TableRefused):
        return refused.said(language)
    key, numbers = "other", {}
    if isinstance(refused, LobbyRefused):
        numbers = refused.numbers
        key = str(numbers["state"]) if refused.key == "not_open" else refused.key
    return words.gettext(TEXTS.get(key, TEXTS["other"]), language) % numbers
