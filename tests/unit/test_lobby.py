"""From an open game to its start or end: who may do what, and what is told to whom."""

from __future__ import annotations

import hashlib
import threading
from datetime import timedelta
from typing import Any

import pytest
from sqlmodel import Session, col, select

from engine.errors import BadComponents
from pbem.accounts import auth
from pbem.accounts.keys import Keys
from pbem.mail.letters import build
from pbem.models import (
    ComponentSet,
    Entry,
    Game,
    GameState,
    Invitation,
    InvitationState,
    NeverInvite,
    Outbox,
    Person,
    SeatRow,
)
from pbem.play import component_sets
from pbem.service import Service
from pbem.tables import invitations, lists, lobby
from pbem.tables.lobby import LobbyRefused
from tests.conftest import NOON
from tests.support.letterfactory import person

GUEST = "guest@players.example"
KEYS = Keys(b"key")


def open_game(session: Session, host: Person, **choices: Any) -> Game:
    """A public game for four with the standard figures, unless `choices` say otherwise."""
    given: dict[str, Any] = {
        "game_key": "vasco-da-gama", "title": "The winter fleet", "seats": 4,
        "chosen_order": False, "private": False, "components": None, "phrase": "",
        "open_days": 30, "now": NOON,
    }
    return lobby.open_game(session, host=host, **(given | choices))


@pytest.fixture
def session(service: Service) -> Any:
    with service.writing() as writing:
        yield writing


@pytest.fixture
def ana(session: Session) -> Person:
    return person(session, "Ana")


@pytest.fixture
def bento(session: Session) -> Person:
    return person(session, "Bento")


def join(session: Session, game: Game, who: Person, phrase: str = "", now: Any = NOON) -> Any:
    return lobby.join(session, game_id=game.id or 0, person=who, phrase=phrase, now=now)


def invite(session: Session, game: Game, host: Person, address: str = GUEST, **more: Any) -> Any:
    given: dict[str, Any] = {"a_day": 40, "now": NOON} | more
    return invitations.invite(session, game_id=game.id or 0, host=host, address=address, **given)


def names_at(session: Session, game: Game) -> list[str]:
    return [who.name for _, who in lobby.chairs(session, game.id or 0)]


def letters(session: Session, kind: str) -> list[int | str | None]:
    """Whom the due letters of a kind are for."""
    rows = session.exec(select(Outbox).where(Outbox.kind == kind).order_by(col(Outbox.id)))
    return [row.person_id or row.address for row in rows]


def refused(key: str) -> Any:
    return pytest.raises(LobbyRefused, match=rf"^{key}\b")


# ---- opening ------------------------------------------------------------------------------------


def test_the_host_sits_in_the_first_chair_of_a_new_game(session: Session, ana: Person) -> None:
    game = open_game(session, ana)

    assert (game.state, names_at(session, game)) == (GameState.OPEN, ["Ana"])
    assert game.expires == NOON + timedelta(days=30)


def test_the_commitment_is_the_hash_of_a_hidden_number_of_32_bytes(
    session: Session, ana: Person
) -> None:
    one, other = open_game(session, ana), open_game(session, ana)

    assert len(one.server_part) == 32
    assert one.commitment == hashlib.sha256(one.server_part).hexdigest()
    assert one.server_part != other.server_part


def test_games_with_the_same_figures_share_one_component_set(
    session: Session, ana: Person
) -> None:
    standard = open_game(session, ana)
    same = open_game(
        session, ana, components=component_sets.standard_toml("vasco-da-gama") + "\n# a remark\n")

    assert standard.components == same.components
    assert session.get_one(ComponentSet, same.components).name == "standard"


def test_an_own_component_set_is_kept_by_its_digest(session: Session, ana: Person) -> None:
    own = component_sets.standard_toml("vasco-da-gama").replace("reals = 3", "reals = 4", 1)
    assert own != component_sets.standard_toml("vasco-da-gama")

    game = open_game(session, ana, components=own)

    kept = session.get_one(ComponentSet, game.components)
    assert (kept.toml, kept.name) == (own, "")


def test_a_set_that_cannot_be_played_with_is_refused_with_its_table(
    session: Session, ana: Person
) -> None:
    with pytest.raises(BadComponents) as bad:
        open_game(session, ana, components="[surprise]\nreals = 1\n")

    assert "surprise" in str(bad.value)


def test_a_component_set_has_64_kib_at_most(session: Session, ana: Person) -> None:
    with refused("components_too_large"):
        open_game(session, ana, components="#" * (64 * 1024 + 1))


@pytest.mark.parametrize("seats", [1, 5])
def test_two_to_four_people_play(session: Session, ana: Person, seats: int) -> None:
    with refused("seats_out_of_range"):
        open_game(session, ana, seats=seats)


def test_a_host_has_twenty_open_games_at_most(session: Session, ana: Person) -> None:
    for _ in range(20):
        open_game(session, ana)

    with refused("too_many_open"):
        open_game(session, ana)


# ---- joining ------------------------------------------------------------------------------------


def test_whoever_joins_twice_has_one_chair(
    session: Session, ana: Person, bento: Person
) -> None:
    game = open_game(session, ana)

    first, again = join(session, game, bento), join(session, game, bento)

    assert first.id == again.id
    assert names_at(session, game) == ["Ana", "Bento"]


def test_the_last_chair_starts_the_game_in_the_same_transaction(
    session: Session, ana: Person, bento: Person
) -> None:
    game = open_game(session, ana, seats=2, chosen_order=True)

    join(session, game, bento)

    assert game.state == GameState.RUNNING
    assert [seat.number for seat, _ in lobby.chairs(session, game.id or 0)] == [0, 1]
    assert names_at(session, game) == ["Ana", "Bento"]
    assert session.get(Entry, (game.id, 1)) is not None
    assert letters(session, "started") == [ana.id, bento.id]


def test_two_who_race_for_the_last_chair_get_one_chair_and_one_answer(service: Service) -> None:
    with service.writing() as session:
        game = open_game(session, person(session, "Ana"), seats=2)
        racers = [person(session, name) for name in ("Bento", "Catarina")]
        session.commit()
    line, answers = threading.Barrier(2), []

    def race(racer: Person) -> None:
        line.wait()
        with service.writing() as session:
            try:
                join(session, game, racer)
                session.commit()
                answers.append("seated")
            except LobbyRefused as answer:
                answers.append(answer.key)

    runs = [threading.Thread(target=race, args=(racer,)) for racer in racers]
    for run in runs:
        run.start()
    for run in runs:
        run.join()

    assert sorted(answers) == ["not_open", "seated"]
    with service.reading() as session:
        assert len(session.exec(select(SeatRow)).all()) == 2


def test_a_name_that_looks_like_one_at_the_table_is_refused(
    session: Session, ana: Person
) -> None:
    game = open_game(session, ana)
    lookalike = person(session, "Аnа", address="other@players.example")  # Cyrillic А and а

    with refused("name_looks_alike"):
        join(session, game, lookalike)


def test_nobody_in_an_open_game_takes_a_name_that_looks_like_anothers(
    session: Session, ana: Person, bento: Person
) -> None:
    join(session, open_game(session, ana), bento)

    assert not lobby.may_be_called(session, bento, "ANA")
    assert lobby.may_be_called(session, bento, "Benta")


def test_a_phrase_is_kept_in_one_line_and_has_200_characters_at_most(
    session: Session, ana: Person, bento: Person
) -> None:
    game = open_game(session, ana)

    assert join(session, game, bento, "  three\ncaravels ").phrase == "three caravels"
    with pytest.raises(ValueError, match="long"):
        open_game(session, ana, phrase="x" * 201)


def test_nobody_sits_down_once_the_time_has_run_out_though_no_sweep_came(
    session: Session, ana: Person, bento: Person
) -> None:
    game = open_game(session, ana)

    with refused("not_open"):
        join(session, game, bento, now=NOON + timedelta(days=30))


# ---- leaving, removing --------------------------------------------------------------------------


def test_who_leaves_frees_the_chair_and_may_come_back(
    session: Session, ana: Person, bento: Person
) -> None:
    game = open_game(session, ana)
    join(session, game, bento)

    lobby.leave(session, game_id=game.id or 0, person=bento)
    assert names_at(session, game) == ["Ana"]

    join(session, game, bento)
    assert names_at(session, game) == ["Ana", "Bento"]


def test_the_host_does_not_leave_but_cancels(session: Session, ana: Person) -> None:
    game = open_game(session, ana)

    with refused("host_cancels"):
        lobby.leave(session, game_id=game.id or 0, person=ana)


def test_only_the_host_removes_and_the_link_to_join_is_a_new_one(
    session: Session, ana: Person, bento: Person
) -> None:
    game = open_game(session, ana)
    seat = join(session, game, bento)
    before = invitations.join_token(KEYS, game)

    with refused("host_only"):
        lobby.remove(session, game_id=game.id or 0, host=bento, seat_id=seat.id)
    lobby.remove(session, game_id=game.id or 0, host=ana, seat_id=seat.id)

    assert names_at(session, game) == ["Ana"]
    assert invitations.game_by_join_token(session, KEYS, before) is None


def test_a_seat_of_another_game_is_not_removed(
    session: Session, ana: Person, bento: Person
) -> None:
    theirs = open_game(session, bento)
    seat = lobby.chair_of(session, theirs.id or 0, bento.id)
    assert seat is not None

    lobby.remove(session, game_id=open_game(session, ana).id or 0, host=ana, seat_id=seat.id or 0)

    assert names_at(session, theirs) == ["Bento"]


def test_nobody_leaves_a_game_that_has_begun(
    session: Session, ana: Person, bento: Person
) -> None:
    game = open_game(session, ana, seats=2)
    join(session, game, bento)

    with refused("not_open"):
        lobby.leave(session, game_id=game.id or 0, person=bento)


# ---- starting -----------------------------------------------------------------------------------


def test_the_host_starts_with_two_of_four(session: Session, ana: Person, bento: Person) -> None:
    game = open_game(session, ana)
    with refused("too_few"):
        lobby.start(session, game_id=game.id or 0, host=ana, now=NOON)
    join(session, game, bento)
    with refused("host_only"):
        lobby.start(session, game_id=game.id or 0, host=bento, now=NOON)

    lobby.start(session, game_id=game.id or 0, host=ana, now=NOON)

    assert game.state == GameState.RUNNING


def test_bots_are_numbered_in_each_game_and_used_again_in_the_next(
    session: Session, ana: Person
) -> None:
    one, two = open_game(session, ana), open_game(session, ana)

    for game, kind in ((one, "steady"), (one, "steady"), (one, "random"), (two, "steady")):
        lobby.add_bot(session, game_id=game.id or 0, host=ana, kind=kind, now=NOON)

    assert sorted(names_at(session, one)) == ["Ana", "Random 1", "Steady 1", "Steady 2"]
    assert names_at(session, two) == ["Ana", "Steady 1"]
    assert one.state == GameState.RUNNING
    assert len(session.exec(select(Person).where(col(Person.bot).is_not(None))).all()) == 3


def test_bots_are_kept_out_of_the_mail_and_cannot_sign_in(session: Session, ana: Person) -> None:
    game = open_game(session, ana, seats=2)
    bot = lobby.add_bot(session, game_id=game.id or 0, host=ana, kind="random", now=NOON)

    assert letters(session, "started") == [ana.id]
    address = session.get_one(Person, bot.person_id).address
    assert auth.person_with(session, address) is None


# ---- cancelling, expiring -----------------------------------------------------------------------


def test_a_cancelled_open_game_is_told_to_all_but_the_host(
    session: Session, ana: Person, bento: Person
) -> None:
    game = open_game(session, ana)
    join(session, game, bento)
    invitation = invite(session, game, ana)
    with refused("host_only"):
        lobby.cancel(session, game_id=game.id or 0, host=bento, now=NOON)

    lobby.cancel(session, game_id=game.id or 0, host=ana, now=NOON)

    assert (game.state, game.ended) == (GameState.CANCELLED, NOON)
    assert letters(session, "cancelled") == [bento.id]
    session.refresh(invitation)
    assert invitation.state == InvitationState.WITHDRAWN


def agree(session: Session, game: Game, who: Person, *, agrees: bool = True) -> bool:
    return lobby.agree_to_cancel(
        session, game_id=game.id or 0, person=who, agrees=agrees, now=NOON)


def test_a_running_game_ends_once_all_its_people_agree(
    session: Session, ana: Person, bento: Person
) -> None:
    game = open_game(session, ana, seats=3)
    join(session, game, bento)
    lobby.add_bot(session, game_id=game.id or 0, host=ana, kind="steady", now=NOON)

    assert not agree(session, game, ana)
    assert not agree(session, game, ana, agrees=False)
    assert not agree(session, game, bento)
    assert game.state == GameState.RUNNING

    assert agree(session, game, ana)

    assert game.state == GameState.CANCELLED
    assert sorted(letters(session, "cancelled")) == [ana.id, bento.id]
    assert all(seat.asked_since is None for seat, _ in lobby.chairs(session, game.id or 0))


def test_who_does_not_play_has_no_word_in_cancelling(
    session: Session, ana: Person, bento: Person
) -> None:
    game = open_game(session, ana, seats=2)
    join(session, game, bento)

    with refused("players_only"):
        agree(session, game, person(session, "Catarina"))


def test_open_games_expire_once_and_their_people_are_told(
    session: Session, ana: Person, bento: Person
) -> None:
    old, young = open_game(session, ana), open_game(session, ana, open_days=31)
    join(session, old, bento)

    assert lobby.expire(session, NOON + timedelta(days=30)) == 1
    assert lobby.expire(session, NOON + timedelta(days=30)) == 0

    assert (old.state, young.state) == (GameState.EXPIRED, GameState.OPEN)
    assert letters(session, "expired") == [ana.id, bento.id]


# ---- invitations --------------------------------------------------------------------------------


def test_an_invitation_goes_to_a_person_or_to_an_address(
    session: Session, ana: Person, bento: Person
) -> None:
    game = open_game(session, ana)

    invite(session, game, ana, bento.address)
    invite(session, game, ana, GUEST)

    assert letters(session, "invited") == [bento.id, GUEST]


def test_an_address_is_invited_once_but_again_after_it_was_taken_back(
    session: Session, ana: Person
) -> None:
    game = open_game(session, ana)
    invitation = invite(session, game, ana)
    with refused("invited_already"):
        invite(session, game, ana)

    invitations.withdraw(
        session, game_id=game.id or 0, host=ana, invitation_id=invitation.id)
    again = invite(session, game, ana)

    assert again.id == invitation.id
    assert len(session.exec(select(Outbox).where(Outbox.kind == "invited")).all()) == 2


def test_a_link_that_was_taken_back_does_not_come_back_with_the_next_letter(
    session: Session, ana: Person
) -> None:
    game = open_game(session, ana)
    first = invitations.invitation_token(KEYS, invite(session, game, ana))
    invitations.withdraw(session, game_id=game.id or 0, host=ana,
                         invitation_id=session.exec(select(Invitation.id)).one() or 0)

    invite(session, game, ana)

    assert invitations.invitation_by(session, KEYS, first) is None


def test_a_host_invites_so_many_addresses_a_day(session: Session, ana: Person) -> None:
    game = open_game(session, ana)
    for number in range(3):
        invite(session, game, ana, f"guest{number}@players.example", a_day=3)

    with refused("invited_enough"):
        invite(session, game, ana, "one.more@players.example", a_day=3)
    invite(session, game, ana, "one.more@players.example", a_day=3, now=NOON + timedelta(days=1))


def test_an_address_that_wants_no_invitations_gets_none_and_the_host_sees_no_difference(
    session: Session, ana: Person
) -> None:
    invitations.refuse_invitations(session, GUEST, NOON)
    game = open_game(session, ana)

    invitation = invite(session, game, ana)

    assert invitation.state == InvitationState.PENDING
    row = session.exec(select(Outbox).where(Outbox.kind == "invited")).one()
    assert not build.still_true(session, row, NOON)


def test_never_again_is_kept_as_a_hash_and_declines_all_that_is_pending(
    session: Session, ana: Person, bento: Person
) -> None:
    one = invite(session, open_game(session, ana), ana)
    other = invite(session, open_game(session, bento), bento)

    invitations.never_again(session, one, NOON)

    for invitation in (one, other):
        session.refresh(invitation)
        assert invitation.state == InvitationState.DECLINED
    assert GUEST not in session.exec(select(NeverInvite.address_hash)).one()


def test_a_host_does_not_invite_himself(session: Session, ana: Person) -> None:
    with refused("own_address"):
        invite(session, open_game(session, ana), ana, ana.address)


def test_an_accepted_invitation_is_a_chair_and_serves_one_person(
    session: Session, ana: Person, bento: Person
) -> None:
    game = open_game(session, ana)
    invitation = invite(session, game, ana)

    for _ in range(2):  # a double click
        invitations.accept(session, invitation=invitation, person=bento, phrase="", now=NOON)

    assert names_at(session, game) == ["Ana", "Bento"]
    with refused("invitation_used"):
        invitations.accept(session, invitation=invitation, person=person(session, "Catarina"),
                           phrase="", now=NOON)


def test_a_declined_or_withdrawn_invitation_opens_no_door(
    session: Session, ana: Person, bento: Person
) -> None:
    game = open_game(session, ana)
    invitation = invite(session, game, ana)
    invitations.decline(session, invitation)

    with refused("not_invited"):
        invitations.accept(session, invitation=invitation, person=bento, phrase="", now=NOON)


def test_joining_settles_the_invitation_to_the_same_person(
    session: Session, ana: Person, bento: Person
) -> None:
    game = open_game(session, ana)
    invitation = invite(session, game, ana, bento.address)

    join(session, game, bento)

    session.refresh(invitation)
    assert invitation.state == InvitationState.ACCEPTED


@pytest.mark.parametrize("token", ["", "1", "1-", "x-y", "-", "9" * 30 + "-a", "1-ab\u00e9", "²-x"])
def test_a_made_up_link_leads_nowhere(session: Session, ana: Person, token: str) -> None:
    invite(session, open_game(session, ana), ana)

    assert invitations.invitation_by(session, KEYS, token) is None
    assert invitations.game_by_join_token(session, KEYS, token) is None


# ---- who sees what ------------------------------------------------------------------------------


def test_a_private_game_is_seen_by_its_people_and_who_is_invited(
    session: Session, ana: Person, bento: Person
) -> None:
    game = open_game(session, ana, private=True)
    guest = person(session, "Guest")
    invite(session, game, ana, guest.address)

    seen_by = {who: lobby.may_see(session, game, by)
               for who, by in {"host": ana, "guest": guest, "other": bento, "nobody": None}.items()}

    assert seen_by == {"host": True, "guest": True, "other": False, "nobody": False}


def running(session: Session, host: Person, guest: Person, *, asked: Person) -> Game:
    """A running game for two that waits for one of them."""
    game = open_game(session, host, seats=2)
    join(session, game, guest)
    for seat, who in lobby.chairs(session, game.id or 0):
        seat.asked_since = 1 if who.id == asked.id else None
        session.add(seat)
    session.flush()
    return game


def test_my_games_begin_with_those_that_wait_for_me(
    session: Session, ana: Person, bento: Person
) -> None:
    waits_for_ana = running(session, ana, bento, asked=ana)
    waits_for_bento = running(session, bento, ana, asked=bento)
    still_open = open_game(session, ana)

    mine = lists.mine(session, ana.id or 0)

    assert [one.game.id for one in mine] == [
        waits_for_ana.id, waits_for_bento.id, still_open.id]
    assert [one.is_asked for one in mine] == [True, False, False]
    assert lists.waiting(session, ana.id or 0) == 1


def test_public_open_games_are_listed_for_who_does_not_sit_in_them(
    session: Session, ana: Person, bento: Person
) -> None:
    public = open_game(session, ana)
    open_game(session, ana, private=True)

    assert [one.game.id for one in lists.to_join(session, bento.id)] == [public.id]
    assert lists.to_join(session, ana.id) == []
    assert len(lists.to_join(session, None)) == 1


def test_a_component_set_is_read_before_the_transaction_begins(
    session: Session, ana: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.commit()
    transactions: list[bool] = []
    read = lobby.registry.game

    def noted(*asked: Any) -> Any:
        transactions.append(session.in_transaction())
        return read(*asked)

    monkeypatch.setattr(lobby.registry, "game", noted)
    open_game(session, ana, components=component_sets.standard_toml("vasco-da-gama") + "\n# mine")

    assert not transactions[0]
