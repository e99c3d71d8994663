"""An account whose mailbox is lost: another address, slowly, and stopped by one button."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from email import message_from_bytes
from email.policy import default

import pytest
from flask.testing import FlaskClient
from sqlmodel import Session, select

from pbem.accounts import api_tokens, auth, feed_addresses
from pbem.clock import FixedClock
from pbem.mail.letters import build
from pbem.models import Game, Outbox, Person, WebSession, stored_id
from pbem.models.archive import ApiToken, FeedAddress
from pbem.models.operators import OperatorAct, Recovery
from pbem.operators import recovery
from pbem.operators.recovery import RecoveryRefused
from pbem.privacy import closure
from pbem.service import Service
from tests.support.doors import enter

OLD, NEW = "ana@players.example", "ana@elsewhere.example"
NAMES = ("http", "Carreira", "12:00 UTC")  # the same in all languages
Letters = Callable[[str], dict[str, str]]


@pytest.fixture
def ana(session: Session, game: Game) -> Person:
    return session.exec(select(Person).where(Person.name == "Ana")).one()


@pytest.fixture
def begun(desk: FlaskClient, session: Session, ana: Person) -> Recovery:
    """Olga has begun to give Ana another address."""
    session.commit()
    answer = desk.post(f"/operator/people/{ana.id}/recover", data={
        "address": NEW.upper(), "why": "called me, knows her games"})
    assert answer.status_code == 303
    return session.exec(select(Recovery)).one()


@dataclass(frozen=True)
class Lost:
    """Ana's account, whose mailbox is lost, and what is done about it."""

    service: Service
    clock: FixedClock
    client: FlaskClient
    session: Session
    ana: Person
    letters: Letters

    def link(self, kind: str, to: str) -> str:
        """The page that a letter leads to."""
        self.session.commit()
        return link(self.letters(kind)[f"{to}"])

    def confirm(self) -> None:
        self.client.post(self.link("recover", NEW))

    def after(self, time: timedelta) -> str:
        """The account's address once this has passed and the sweep was here."""
        self.session.commit()
        self.clock.forward(time)
        carried_out(self.service)
        return address_of(self.service, self.ana)


@pytest.fixture
def lost(
    service: Service, clock: FixedClock, client: FlaskClient, session: Session, *, ana: Person,
    letters: Letters, begun: Recovery,
) -> Lost:
    return Lost(service, clock, client, session, ana, letters)


@pytest.fixture
def letters(service: Service) -> Letters:
    """What the due letters of a kind say, by address."""
    def read(kind: str) -> dict[str, str]:
        said = {}
        with service.reading() as session:
            for row in session.exec(select(Outbox).where(Outbox.kind == kind)):
                made = build.build(session, row, service.settings, service.clock.now())
                if made is not None:
                    letter = message_from_bytes(made.raw, policy=default)
                    said[row.address] = letter.get_body(("plain",)).get_content()
        return said
    return read


def link(text: str) -> str:
    return re.search(r"http://localhost(/recovery/\S+)", text)[1]


def carried_out(service: Service) -> None:
    """What the sweep does."""
    with service.writing() as session:
        for recovery_id in recovery.due(session, service.clock.now()):
            recovery.carry_out(session, recovery_id, service.clock.now())
        session.commit()


def address_of(service: Service, ana: Person) -> str:
    with service.reading() as session:
        return session.get_one(Person, ana.id).address


def test_both_addresses_are_written_to_and_the_act_is_noted_with_its_reason(
    session: Session, olga: Person, ana: Person, begun: Recovery, letters: Letters
) -> None:
    session.commit()
    assert set(letters("recover")) == {f"{NEW}"}
    assert set(letters("recovery")) == {"ana@players.example"}
    act = session.exec(select(OperatorAct).order_by(OperatorAct.id.desc())).first()
    assert (act.operator_id, act.what, act.about, act.why) == (
        olga.id, "recovery_begun", f"p{ana.id}", "called me, knows her games")


def test_confirmed_by_the_new_address_it_happens_after_three_days_and_not_before(
    lost: Lost
) -> None:
    lost.confirm()
    assert lost.after(recovery.WAITS - timedelta(milliseconds=1)) == OLD
    assert lost.after(timedelta(milliseconds=1)) == NEW


def test_looking_at_the_links_changes_nothing(lost: Lost) -> None:
    for kind, to in (("recover", NEW), ("recovery", OLD)):
        assert "<button" in lost.client.get(lost.link(kind, to)).text
    assert lost.after(recovery.WAITS) == OLD  # nobody has confirmed
    assert recovery.open_of(lost.session, lost.ana, lost.clock.now()) is not None  # nor stopped it


def test_the_old_address_stops_it_by_one_button_though_it_is_confirmed(lost: Lost) -> None:
    lost.confirm()
    lost.client.post(lost.link("recovery", OLD))
    assert lost.after(recovery.WAITS) == OLD


def test_the_link_that_confirms_cannot_stop_and_a_changed_one_leads_nowhere(lost: Lost) -> None:
    confirm, stop = lost.link("recover", NEW), lost.link("recovery", OLD)
    assert confirm != stop
    for wrong in (confirm[:-1], confirm + "A", stop.replace("1-", "2-"), "/recovery/1-",
                  "/recovery/x"):
        assert lost.client.get(wrong).status_code == 404
        assert lost.client.post(wrong).status_code == 404


def test_all_that_led_into_the_account_before_is_over(lost: Lost) -> None:
    session, ana, now = lost.session, lost.ana, lost.clock.now()
    ana.second_address, ana.suppressed = "ana@work.example", "no such mailbox"
    session.add(ana)
    auth.open_session(session, stored_id(ana), agent="stolen", now=now)
    api_tokens.make(session, ana, name="script", scopes=("read",), days=30, now=now)
    feed_addresses.renew(session, ana)
    asked = auth.ask_to_sign_in(session, address=ana.address, browser="b", registration="open",
                                language="en", then=None, now=now)
    proof, _code = auth.issue_secrets(session, asked, now + recovery.WAITS)
    session.commit()
    assert auth.by_link(session, proof, now) is not None
    lost.confirm()
    lost.after(recovery.WAITS)

    with lost.service.reading() as reading:
        for table in (WebSession, ApiToken, FeedAddress):
            assert not reading.exec(select(table).where(table.person_id == ana.id)).all()
        kept = reading.get_one(Person, ana.id)
        assert (kept.address, kept.second_address, kept.suppressed) == (NEW, None, None)
        assert auth.by_link(reading, proof, now) is None


def test_old_and_new_address_are_told_when_it_has_happened(lost: Lost) -> None:
    lost.confirm()
    lost.after(recovery.WAITS)
    said = lost.letters("recovered")
    assert set(said) == {f"{NEW}", f"{OLD}"}
    assert NEW not in said[f"{OLD}"]
    assert "/sign-in" in said[f"{NEW}"]


def test_an_address_that_became_another_account_s_in_the_meantime_is_left_to_it(
    lost: Lost
) -> None:
    lost.confirm()
    lost.session.add(Person(name="Anna", address=NEW, created=lost.clock.now()))
    assert lost.after(recovery.WAITS) == OLD


def test_unconfirmed_for_two_weeks_it_comes_to_nothing(lost: Lost) -> None:
    late = lost.link("recover", NEW)
    lost.clock.forward(recovery.LASTS)
    lost.client.post(late)
    assert lost.after(timedelta(0)) == OLD
    assert "not confirmed in time" in lost.client.get(late).text


def test_after_three_days_unconfirmed_no_page_names_a_time_that_is_over(lost: Lost) -> None:
    confirms, stops = lost.link("recover", NEW), lost.link("recovery", OLD)
    assert all("<time" in lost.client.get(page).text for page in (confirms, stops))
    lost.clock.forward(recovery.WAITS)
    said = [lost.client.get(page).text for page in (confirms, stops)]
    assert "at once" in said[0]
    assert "stop it now" in said[1]
    assert not any("<time" in page for page in said)


@pytest.mark.parametrize(("address", "why"), [
    ("nonsense", "bad_address"), ("bento@players.example", "taken"), (OLD, "taken")])
def test_an_address_that_cannot_be_is_refused(
    session: Session, olga: Person, ana: Person, address: str, why: str
) -> None:
    with pytest.raises(RecoveryRefused) as refused:
        recovery.begin(session, olga, ana, address, "lost", now=ana.created)
    assert refused.value.key == why


def test_one_at_a_time(
    service: Service, session: Session, olga: Person, ana: Person, begun: Recovery
) -> None:
    with pytest.raises(RecoveryRefused, match="open"):
        recovery.begin(session, olga, ana, "x@y.example", "lost", now=service.clock.now())


def test_an_operator_stops_it_and_that_is_noted(
    desk: FlaskClient, session: Session, ana: Person, begun: Recovery
) -> None:
    session.commit()
    desk.post(f"/operator/people/{ana.id}/recover/{begun.id}/stop", data={"why": "was a trick"})
    assert session.get(Recovery, begun.id, populate_existing=True).stopped is not None
    acts = session.exec(select(OperatorAct.what, OperatorAct.why)).all()
    assert ("recovery_stopped", "was a trick") in acts


def test_of_two_operators_who_stop_it_the_first_is_noted(
    desk: FlaskClient, session: Session, ana: Person, begun: Recovery
) -> None:
    session.commit()
    for why in ("was a trick", "looks odd"):
        desk.post(f"/operator/people/{ana.id}/recover/{begun.id}/stop", data={"why": why})
    assert session.exec(select(OperatorAct.why).where(
        OperatorAct.what == "recovery_stopped")).all() == ["was a trick"]


def test_a_recovery_is_stopped_on_its_own_person_s_page_alone(
    desk: FlaskClient, session: Session, ana: Person, begun: Recovery
) -> None:
    bento = session.exec(select(Person).where(Person.name == "Bento")).one()
    session.commit()
    answer = desk.post(f"/operator/people/{bento.id}/recover/{begun.id}/stop",
                       data={"why": "a slip"})
    assert answer.status_code == 404
    session.rollback()
    assert session.get(Recovery, begun.id, populate_existing=True).stopped is None
    assert not session.exec(select(OperatorAct).where(OperatorAct.what == "recovery_stopped")).all()


def test_a_refused_address_leaves_the_reason_in_its_field(
    desk: FlaskClient, session: Session, ana: Person
) -> None:
    session.commit()
    answer = desk.post(f"/operator/people/{ana.id}/recover", data={
        "address": "nonsense", "why": "called me, knows her games"})
    assert answer.status_code == 400
    assert re.search(r'name="why"[^>]*value="called me, knows her games"', answer.text)


def signed_in(lost: Lost, name: str) -> FlaskClient:
    """Somebody's browser, from before his recovery was begun."""
    who = lost.session.exec(select(Person).where(Person.name == name)).one()
    lost.session.commit()
    return enter(lost.client.application.test_client(), lost.service, who)


def test_who_is_signed_in_meanwhile_is_told_on_every_page_and_can_stop_it_there(
    lost: Lost, game: Game
) -> None:
    ana, stop = signed_in(lost, "Ana"), 'action="/account/recovery/stop"'
    pages = ("/", "/games", "/account", f"/games/{game.id}", "/archive", "/nothing")
    for page in pages:
        shown = ana.get(page).text
        assert "the account is to get another address" in shown, page
        assert stop in shown, page
        assert NEW not in shown, page
    lost.confirm()
    assert ana.post("/account/recovery/stop").status_code == 303
    assert "the account keeps its address" in ana.get("/account").text
    for page in pages:
        assert stop not in ana.get(page).text, page
    assert lost.after(recovery.WAITS) == OLD


def test_a_kept_page_of_a_game_is_not_kept_beyond_the_beginning_and_the_end_of_a_recovery(
    lost: Lost, game: Game
) -> None:
    ana, path = signed_in(lost, "Ana"), f"/games/{game.id}"
    ana.get(path)
    tag = {"If-None-Match": ana.get(path).headers["ETag"]}
    assert ana.get(path, headers=tag).status_code == 304
    ana.post("/account/recovery/stop")
    ana.get("/account")  # where it is said
    assert ana.get(path, headers=tag).status_code == 200


def test_nobody_sees_or_stops_another_one_s_recovery(lost: Lost) -> None:
    bento = signed_in(lost, "Bento")
    for other in (bento, lost.client):
        assert "/account/recovery/stop" not in other.get("/games").text
        other.post("/account/recovery/stop")
    lost.confirm()
    assert "comes too late" in bento.get("/account").text
    assert lost.after(recovery.WAITS) == NEW


@pytest.mark.parametrize("language", ["hu", "ru", "pt"])
def test_the_letters_are_in_the_language_of_whose_account_it_is(
    session: Session, ana: Person, begun: Recovery, letters: Letters, language: str
) -> None:
    session.commit()
    english = letters("recover") | letters("recovery")
    ana.language = language
    session.add(ana)
    session.commit()
    for address, text in (letters("recover") | letters("recovery")).items():
        there = set(text.splitlines()) & set(english[address].splitlines()) - {""}
        assert not [line for line in there if not line.lstrip().startswith(NAMES)]


def test_who_leaves_for_good_is_not_called_back_by_a_recovery(
    service: Service, session: Session, ana: Person, begun: Recovery
) -> None:
    closure.leave_for_good(session, ana, service.clock.now())
    session.commit()
    assert not session.exec(select(Recovery)).all()

