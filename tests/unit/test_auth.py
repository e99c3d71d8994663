"""Proving an address by letter, staying signed in, and the names that people may have."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from sqlmodel import Session, select

from pbem import names
from pbem.accounts import auth
from pbem.accounts.sign_in_limits import GUESSES, TooManyLetters
from pbem.clock import FixedClock
from pbem.models import (
    Game,
    Invitation,
    Outbox,
    Person,
    SignIn,
    WebSession,
    stored_id,
)
from pbem.service import Service
from tests.support.letterfactory import person

ANA = "ana@players.example"


def ask(service: Service, address: str = ANA, *, registration: str = "open",
        browser: str = "hers", known: auth.KnownBrowser | None = None) -> int:
    """Somebody gives an address; the sign-in's id."""
    with service.writing() as session:
        asked = auth.ask_to_sign_in(
            session, address=address, browser=browser, registration=registration, language="en",
            then=None, now=service.clock.now(), known=known,
        )
        session.commit()
    assert asked.id is not None
    return asked.id


def ana_of(service: Service) -> int:
    """Ana, who is known here."""
    with service.writing() as session:
        ana = person(session, "Ana")
        session.commit()
    return stored_id(ana)


def letter(service: Service, sign_in_id: int) -> tuple[str, str]:
    """The link and the code, as the letter gets them when it is built."""
    with service.writing() as session:
        secrets = auth.issue_secrets(
            session, session.get_one(SignIn, sign_in_id), service.clock.now())
        session.commit()
    return secrets


def use_link(service: Service, link: str) -> SignIn:
    with service.writing() as session:
        proved = auth.prove_by_link(session, link, service.clock.now())
        session.commit()
    return proved


def use_code(service: Service, code: str, browser: str = "hers") -> SignIn | None:
    with service.writing() as session:
        proved = auth.prove_by_code(session, browser, code, service.clock.now())
        session.commit()
    return proved


def other_than(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06d}"


# ---- links --------------------------------------------------------------------------------------


def test_a_link_proves_the_address_once(service: Service) -> None:
    link, _ = letter(service, ask(service))

    assert use_link(service, link).address == ANA
    with pytest.raises(auth.NotProved):
        use_link(service, link)


def test_who_proves_an_address_that_refused_a_letter_gets_letters_there_again(
    service: Service,
) -> None:
    with service.writing() as session:
        ana = Person(name="Ana", address=ANA, created=service.clock.now(), suppressed="550 full")
        session.add(ana)
        session.commit()
        known = ana.id
    link, _ = letter(service, ask(service))

    use_link(service, link)

    with service.reading() as session:
        assert session.get_one(Person, known).suppressed is None


def test_looking_at_a_link_uses_nothing_up(service: Service) -> None:
    link, _ = letter(service, ask(service))

    for _ in range(3):
        with service.reading() as session:
            assert auth.by_link(session, link, service.clock.now()) is not None

    assert use_link(service, link).used is not None


def test_a_link_is_over_twenty_minutes_after_its_letter_was_built(
    service: Service, clock: FixedClock
) -> None:
    asked = ask(service)
    clock.forward(timedelta(minutes=15))  # the mail server was down so long
    link, _ = letter(service, asked)
    clock.forward(timedelta(minutes=20))

    with pytest.raises(auth.NotProved):
        use_link(service, link)


def test_two_presses_of_one_link_at_once_prove_once(service: Service) -> None:
    link, _ = letter(service, ask(service))
    proved: list[bool] = []

    def press() -> None:
        try:
            proved.append(use_link(service, link).used is not None)
        except auth.NotProved:
            proved.append(False)

    presses = [threading.Thread(target=press) for _ in range(2)]
    for one in presses:
        one.start()
    for one in presses:
        one.join()

    assert sorted(proved) == [False, True]


def test_a_letter_that_is_built_anew_voids_the_secrets_of_the_first(service: Service) -> None:
    asked = ask(service)
    first, _ = letter(service, asked)
    second, _ = letter(service, asked)

    with pytest.raises(auth.NotProved):
        use_link(service, first)
    assert use_link(service, second).id == asked


def test_neither_link_nor_code_nor_cookie_is_stored(service: Service) -> None:
    asked = ask(service)
    link, code = letter(service, asked)

    with service.reading() as session:
        row = session.get_one(SignIn, asked)
        stored = " ".join(str(value) for value in row.model_dump().values())
    assert link not in stored
    assert code not in (row.code_hash, row.link_hash)
    assert "hers" not in stored


# ---- codes --------------------------------------------------------------------------------------


def test_a_code_proves_the_address_in_the_browser_that_asked(service: Service) -> None:
    _, code = letter(service, ask(service))

    proved = use_code(service, f" {code[:3]} {code[3:]} ")  # as people type it

    assert proved is not None
    with pytest.raises(auth.NotProved):
        use_code(service, code)


def test_a_code_is_worth_nothing_in_another_browser(service: Service) -> None:
    _, code = letter(service, ask(service))

    with pytest.raises(auth.NotProved):
        use_code(service, code, browser="a thief's")


def test_after_five_wrong_codes_the_right_one_is_not_looked_at_and_the_link_works(
    service: Service
) -> None:
    link, code = letter(service, ask(service))
    for _ in range(5):
        assert use_code(service, other_than(code)) is None

    with pytest.raises(auth.CodesOver):
        use_code(service, code)
    assert use_link(service, link).used is not None


def guess(service: Service, known: auth.KnownBrowser | None = None) -> None:
    """Five wrong codes of one letter."""
    _, code = letter(service, ask(service, known=known))
    for _ in range(5):
        assert use_code(service, other_than(code)) is None


def test_guesses_are_counted_over_a_week_and_end_codes_but_no_link(
    service: Service, clock: FixedClock
) -> None:
    for _ in range(GUESSES // 5):
        guess(service)
        clock.forward(timedelta(hours=12))
    link, code = letter(service, ask(service))

    with pytest.raises(auth.CodesOver):
        use_code(service, code)
    assert use_link(service, link).used is not None
    clock.forward(timedelta(days=7))
    _, code = letter(service, ask(service))
    assert use_code(service, code) is not None


def test_guesses_of_strangers_end_no_code_of_a_known_browser(
    service: Service, clock: FixedClock
) -> None:
    known = auth.KnownBrowser(ana_of(service), "hers for long")
    for _ in range(GUESSES // 5):
        guess(service)
        clock.forward(timedelta(hours=12))
    _, code = letter(service, ask(service, known=known))

    assert use_code(service, code) is not None


def test_four_wrong_codes_leave_one_try(service: Service) -> None:
    _, code = letter(service, ask(service))
    for _ in range(4):
        use_code(service, other_than(code))

    assert use_code(service, code) is not None


def test_a_code_is_wrong_before_any_letter_was_built(service: Service) -> None:
    ask(service)

    assert use_code(service, "") is None
    assert use_code(service, "000000") is None


# ---- whom letters go to -------------------------------------------------------------------------


def due(service: Service) -> list[int | str | None]:
    """The recipients of all letters that will leave."""
    with service.reading() as session:
        rows = session.exec(select(Outbox).order_by(Outbox.id))  # type: ignore[arg-type]
        return [row.person_id or row.address for row in rows if row.settled is None]


def test_known_and_unknown_addresses_get_a_letter_while_registration_is_open(
    service: Service,
) -> None:
    with service.writing() as session:
        ana = person(session, "Ana")
        session.commit()

    ask(service)
    ask(service, "new@players.example")

    assert due(service) == [ana.id, "new@players.example"]


def test_a_closed_site_writes_to_known_addresses_alone_and_shows_no_difference(
    service: Service,
) -> None:
    with service.writing() as session:
        ana = person(session, "Ana")
        session.commit()

    known, unknown = (ask(service, a, registration="closed") for a in (ANA, "new@players.example"))

    assert due(service) == [ana.id]
    with service.reading() as session:
        rows = [session.get_one(SignIn, number) for number in (known, unknown)]
        assert [row.expires for row in rows] == [rows[0].expires] * 2


def test_an_invited_site_writes_to_who_is_invited(service: Service) -> None:
    with service.writing() as session:
        host = person(session, "Host")
        invitation_for(session, host, "guest@players.example")
        session.commit()

    ask(service, "guest@players.example", registration="invited")
    ask(service, "stranger@players.example", registration="invited")

    assert due(service) == ["guest@players.example"]


def invitation_for(session: Session, host: Person, address: str) -> None:
    from pbem.tables import lobby
    from tests.unit.test_lobby import open_game

    game: Game = open_game(session, host)
    session.add(Invitation(game_id=lobby.stored_id(game), by_id=lobby.stored_id(host),
                           address=address, nonce="n", created=game.created))
    session.flush()


def test_the_sixth_letter_within_an_hour_is_refused_whoever_the_address_belongs_to(
    service: Service, clock: FixedClock
) -> None:
    with service.writing() as session:
        person(session, "Ana")
        session.commit()
    for address in (ANA, "nobody@players.example"):
        for _ in range(5):
            ask(service, address, registration="closed")
        with pytest.raises(TooManyLetters):
            ask(service, address, registration="closed")

    clock.forward(timedelta(hours=1))

    ask(service)


def test_strangers_use_up_no_letter_of_a_known_browser(service: Service) -> None:
    known = auth.KnownBrowser(ana_of(service), "hers for long")
    for _ in range(5):
        ask(service)
    with pytest.raises(TooManyLetters):
        ask(service)

    for _ in range(5):
        ask(service, known=known)
    with pytest.raises(TooManyLetters):
        ask(service, known=known)


def test_a_browser_known_as_somebody_else_is_a_stranger_s(service: Service) -> None:
    known = auth.KnownBrowser(ana_of(service) + 1, "another's")
    for _ in range(5):
        ask(service)

    with pytest.raises(TooManyLetters):
        ask(service, known=known)


# ---- new people ---------------------------------------------------------------------------------


def register(service: Service, sign_in_id: int, registration: str = "open") -> Person:
    with service.writing() as session:
        made = auth.register(session, sign_in_id=sign_in_id, registration=registration, name="Ana",
                             language="pt", zone="Europe/Lisbon", now=service.clock.now())
        session.commit()
    return made


def test_who_has_proved_a_new_address_becomes_a_person(service: Service) -> None:
    asked = ask(service)
    use_link(service, letter(service, asked)[0])

    made = register(service, asked)

    assert (made.name, made.address, made.language) == ("Ana", ANA, "pt")
    with pytest.raises(auth.NotProved):
        register(service, asked)


def test_nobody_registers_without_proof_or_on_an_old_one(
    service: Service, clock: FixedClock
) -> None:
    asked = ask(service)
    with pytest.raises(auth.NotProved):
        register(service, asked)
    use_link(service, letter(service, asked)[0])

    clock.forward(timedelta(minutes=61))

    with pytest.raises(auth.NotProved):
        register(service, asked)


def test_nobody_registers_once_the_site_is_closed(service: Service) -> None:
    asked = ask(service)
    use_link(service, letter(service, asked)[0])

    with pytest.raises(auth.NotProved):
        register(service, asked, registration="closed")


# ---- second addresses ---------------------------------------------------------------------------


def second(service: Service, owner: Person, address: str) -> SignIn:
    """A second address asked for and proved."""
    with service.writing() as session:
        asked = auth.ask_for_second_address(session, person=owner, address=address, browser="hers",
                                            now=service.clock.now())
        session.commit()
    return use_link(service, letter(service, asked.id or 0)[0])


def test_a_confirmed_second_address_signs_the_same_person_in(service: Service) -> None:
    with service.writing() as session:
        ana = person(session, "Ana")
        session.commit()
    proved = second(service, ana, "ana@work.example")

    with service.writing() as session:
        auth.confirm_second_address(session, proved, session.get_one(Person, ana.id))
        session.commit()

    with service.reading() as session:
        assert auth.person_with(session, "ana@work.example").id == ana.id  # type: ignore[union-attr]


def test_somebody_elses_address_cannot_become_a_second_one(service: Service) -> None:
    with service.writing() as session:
        ana, bento = person(session, "Ana"), person(session, "Bento")
        session.commit()
    proved = second(service, ana, bento.address)

    with service.writing() as session, pytest.raises(auth.AddressTaken):
        auth.confirm_second_address(session, proved, session.get_one(Person, ana.id))


def test_only_who_asked_for_it_confirms_a_second_address(service: Service) -> None:
    with service.writing() as session:
        ana, bento = person(session, "Ana"), person(session, "Bento")
        session.commit()
    proved = second(service, ana, "ana@work.example")

    with service.writing() as session, pytest.raises(auth.NotProved):
        auth.confirm_second_address(session, proved, session.get_one(Person, bento.id))


# ---- signed-in browsers -------------------------------------------------------------------------


@pytest.fixture
def ana(service: Service) -> Person:
    with service.writing() as session:
        made = person(session, "Ana")
        session.commit()
    return made


def sign_in(service: Service, who: Person) -> str:
    with service.writing() as session:
        cookie = auth.open_session(session, who.id or 0, agent="A" * 500, now=service.clock.now())
        session.commit()
    return cookie


def who_shows(service: Service, cookie: str) -> str | None:
    with service.reading() as session:
        found = auth.signed_in(session, cookie, service.clock.now())
        return found[1].name if found else None


def test_a_cookie_is_stored_as_its_hash(service: Service, ana: Person) -> None:
    cookie = sign_in(service, ana)

    with service.reading() as session:
        row = session.exec(select(WebSession)).one()
    assert cookie not in str(row.model_dump())
    assert who_shows(service, cookie) == "Ana"
    assert who_shows(service, row.id) is None


def test_a_browser_stays_signed_in_for_180_days_of_use(
    service: Service, ana: Person, clock: FixedClock
) -> None:
    cookie = sign_in(service, ana)
    clock.forward(timedelta(days=179))
    with service.writing() as session:
        auth.touch(session, auth.hashed(cookie), clock.now())
        session.commit()

    clock.forward(timedelta(days=179))
    assert who_shows(service, cookie) == "Ana"

    clock.forward(timedelta(days=1))
    assert who_shows(service, cookie) is None


def test_use_is_noted_at_most_once_a_day(service: Service, ana: Person, clock: FixedClock) -> None:
    cookie = sign_in(service, ana)
    clock.forward(timedelta(hours=23))
    with service.reading() as session:
        found = auth.signed_in(session, cookie, clock.now())
        row = found[0] if found else None
        assert row is not None
        assert not auth.needs_touch(row, clock.now())
        assert auth.needs_touch(row, clock.now() + timedelta(hours=1))


def test_the_other_browsers_are_signed_out_and_this_one_is_not(
    service: Service, ana: Person
) -> None:
    here, there = sign_in(service, ana), sign_in(service, ana)

    with service.writing() as session:
        auth.end_other_sessions(session, ana.id or 0, kept=auth.hashed(here))
        session.commit()

    assert (who_shows(service, here), who_shows(service, there)) == ("Ana", None)


def test_nobody_signs_somebody_elses_browser_out(service: Service, ana: Person) -> None:
    cookie = sign_in(service, ana)

    with service.writing() as session:
        bento = person(session, "Bento")
        auth.end_session(session, auth.hashed(cookie), person_id=bento.id or 0)
        session.commit()

    assert who_shows(service, cookie) == "Ana"


# ---- names --------------------------------------------------------------------------------------


def test_names_keep_their_letters_and_lose_their_extra_spaces() -> None:
    assert names.clean_name("  Ana \t Sofia  ") == "Ana Sofia"
    assert names.clean_name("A\u0301gnes") == "Ágnes"  # NFC
    assert names.clean_name("Ю" * 40) == "Ю" * 40


@pytest.mark.parametrize(("raw", "reason"), [
    ("", "empty"), ("   ", "empty"), ("!?", "empty"),
    ("A" * 41, "long"),
    ("Ana\u202egro", "signs"), ("A\u200bna", "signs"), ("Ana\x00", "signs"), ("\ufeffAna", "signs"),
])
def test_names_that_hide_or_turn_something_are_refused(raw: str, reason: str) -> None:
    with pytest.raises(names.BadText) as bad:
        names.clean_name(raw)

    assert bad.value.reason == reason


@pytest.mark.parametrize("other", ["ANA", "Аnа", "Ana.", "Àna", "A n a", "Ａｎａ"])
def test_names_that_look_like_ana_have_one_skeleton(other: str) -> None:
    assert names.skeleton(other) == names.skeleton("Ana")


def test_names_that_look_different_have_skeletons_of_their_own() -> None:
    assert len({names.skeleton(name) for name in ("Ana", "Bento", "Анна", "Anna", "Duarte")}) == 5
