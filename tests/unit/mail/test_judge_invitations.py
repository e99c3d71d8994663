"""Invitations that are accepted or declined by a letter."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from sqlmodel import select

from pbem.models import (
    Game,
    Inbound,
    InboundState,
    Invitation,
    InvitationState,
    Outbox,
    Person,
    SeatRow,
)
from pbem.play.receipts import notes_of
from pbem.service import Service
from pbem.tables import invitations, lobby
from tests.support.answering import Answers
from tests.support.letterfactory import swept, text_of
from tests.support.tables import person

BENTO, STRANGER = "bento@players.example", "novo@elsewhere.example"


@dataclass
class Invited:
    """An open game of Ana's for two, to which somebody is invited."""

    mail: Answers
    address: str

    def says(self, body: str, sender: str = "") -> Inbound:
        with self.mail.service.reading() as session:
            letter = session.exec(select(Outbox).where(Outbox.kind == "invited")).one()
        assert letter.id is not None
        return self.mail.says(letter, body, sender=sender or self.address)

    @property
    def state(self) -> str:
        with self.mail.service.reading() as session:
            return session.exec(select(Invitation)).one().state

    @property
    def seated(self) -> int:
        with self.mail.service.reading() as session:
            return len(session.exec(select(SeatRow)).all())

    def link(self) -> str:
        """The page of the invitation."""
        settings = self.mail.service.settings
        with self.mail.service.reading() as session:
            found = session.exec(select(Invitation)).one()
        return f"{settings.base_url}/invitations/" + invitations.invitation_token(
            settings.keys, found
        )


def invited(service: Service, address: str, language: str = "en") -> Invited:
    """Ana opens a game and invites an address."""
    now = service.clock.now()
    with service.writing() as session:
        ana = person(session, "Ana", now, language)
        person(session, "Bento", now, language)
        game = lobby.open_game(
            session, host=ana, game_key="goa", title="", seats=2, chosen_order=True, private=False,
            components=None, phrase="", open_days=30, now=now,
        )  # fmt: skip
        invitations.invite(
            session, game_id=game.id or 0, host=ana, address=address, a_day=40, now=now
        )
        session.commit()
    return Invited(Answers(service, game.id or 0), address)


@pytest.fixture
def bento(service: Service) -> Invited:
    return invited(service, BENTO)


@pytest.fixture
def novo(service: Service) -> Invited:
    return invited(service, STRANGER)


@pytest.mark.parametrize(
    ("language", "word"),
    [("en", "accept"), ("en", "join"), ("hu", "Elfogadom!"), ("ru", "принимаю"), ("pt", "Aceito.")],
)
def test_whom_we_know_sits_down_by_a_word(service: Service, language: str, word: str) -> None:
    invitation = invited(service, BENTO, language)
    came = invitation.says(word)
    assert came.state == InboundState.PLAYED
    assert (invitation.state, invitation.seated) == (InvitationState.ACCEPTED, 2)
    assert len(invitation.mail.all("receipt")) == 1
    assert len(invitation.mail.all("started")) == 2


def test_the_answer_names_host_game_and_table(bento: Invited) -> None:
    bento.mail.change(Game, bento.mail.game_id, title="Winter fleet")
    came = bento.says("accept")
    said = notes_of(came).words[0].text
    assert said.startswith("You sit at the table of Ana: Goa, Winter fleet.")


@pytest.mark.parametrize("body", ["accept", "decline", "perhaps"])
@pytest.mark.parametrize("address", [BENTO, STRANGER])
def test_the_answers_subject_is_that_of_the_invitation(
    service: Service, address: str, body: str
) -> None:
    invitation = invited(service, address)
    invitation.mail.change(Game, invitation.mail.game_id, title="Winter fleet")
    swept(service)
    invitation.says(body)
    subjects = [str(letter["Subject"]) for letter in swept(service).letters
                if ".receipt." in letter["Message-ID"]]
    assert subjects == ["Re: Ana invites you to Goa, Winter fleet"]


def test_the_question_whether_an_answer_is_theirs_has_its_subject_too(bento: Invited) -> None:
    swept(bento.mail.service)
    bento.says("accept", sender="someone@else.example")
    held = [letter for letter in swept(bento.mail.service).letters
            if ".held." in letter["Message-ID"]]
    assert [str(letter["Subject"]) for letter in held] == ["Re: Ana invites you to Goa"]


def test_the_phrase_stands_behind_the_word(bento: Invited) -> None:
    bento.says("accept by the old tower")
    with bento.mail.service.reading() as session:
        phrases = {seat.phrase for seat in session.exec(select(SeatRow))}
    assert "by the old tower" in phrases


@pytest.mark.parametrize("word", ["decline", "no thanks", "decline\nBento"])
def test_declining_takes_the_word_alone(bento: Invited, word: str) -> None:
    came = bento.says(word)
    declined = word.startswith("decline")
    assert came.state == (InboundState.PLAYED if declined else InboundState.REFUSED)
    assert bento.state == (InvitationState.DECLINED if declined else InvitationState.PENDING)
    assert bento.seated == 1


def test_an_address_without_an_account_declines_by_a_word(novo: Invited) -> None:
    assert novo.says("decline").state == InboundState.PLAYED
    assert novo.state == InvitationState.DECLINED


def test_a_newcomer_whose_address_is_believed_sits_down_by_a_word(novo: Invited) -> None:
    came = novo.says("accept by the old tower")
    assert (came.state, novo.state, novo.seated) == (
        InboundState.PLAYED, InvitationState.ACCEPTED, 2)
    said = notes_of(came).words[0].text
    assert said.startswith("You sit at the table of Ana: Goa. You are called Guest 1 there until")
    assert STRANGER in swept(novo.mail.service).recipients


def with_settings(one: Invited, **changed: str) -> Invited:
    settings = replace(one.mail.service.settings, **changed)  # type: ignore[arg-type]
    service = replace(one.mail.service, settings=settings)
    return replace(one, mail=replace(one.mail, service=service))


@pytest.mark.parametrize("site", [
    {"registration": "closed"}, {"mail_trust": "hold"},
    {"mail_trust": "dmarc", "authserv_id": "mx.play.example"},
])  # fmt: skip
def test_a_newcomer_who_is_not_let_in_by_a_letter_gets_the_page_to_finish_on(
    novo: Invited, site: dict[str, str]
) -> None:
    swept(novo.mail.service)
    came = with_settings(novo, **site).says("accept")
    assert came.state == InboundState.HELD
    assert (novo.state, novo.seated) == (InvitationState.PENDING, 1)
    shelf = swept(novo.mail.service)
    assert shelf.recipients == [STRANGER]
    assert novo.link() in text_of(shelf.letters[0])


def test_a_name_that_is_chosen_later_shows_in_the_game_that_runs(novo: Invited) -> None:
    novo.says("accept")
    with novo.mail.service.writing() as session:
        newcomer = session.exec(select(Person).where(Person.address == STRANGER)).one()
        newcomer.name = "Novo"
        lobby.name_seats(session, newcomer)
        session.commit()
        assert not newcomer.unnamed
        assert {seat.name for seat in session.exec(select(SeatRow))} == {"Ana", "Novo"}


def test_who_is_not_invited_declines_nothing(novo: Invited) -> None:
    came = novo.says("decline", sender="eve@elsewhere.example")
    assert (came.state, novo.state) == (InboundState.HELD, InvitationState.PENDING)


def test_a_letter_of_somebody_else_in_a_known_ones_name_is_held(bento: Invited) -> None:
    came = bento.says("accept", sender="eve@elsewhere.example")
    assert (came.state, came.reason) == (InboundState.HELD, "other_sender")
    assert bento.seated == 1


def test_a_game_that_has_begun_is_told_so(bento: Invited) -> None:
    bento.says("accept")
    came = bento.says("decline")
    assert came.state == InboundState.REFUSED
    assert "already" in notes_of(came).words[0].text


def test_answers_to_an_invitation_play_nothing(bento: Invited) -> None:
    came = bento.says("pass\naccept")
    assert (came.state, came.reason) == (InboundState.REFUSED, "invitation_unread")
    assert bento.seated == 1


