"""Opening, inviting, joining, starting and cancelling, as browsers without script see them."""

from __future__ import annotations

import hashlib
import io
import re
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlmodel import select
from werkzeug.test import TestResponse

from pbem.models import ComponentSet, Game, GameState, Invitation, InvitationState, Person, SeatRow
from pbem.play import component_sets
from pbem.service import Service
from pbem.tables import invitations
from tests.support.doors import bell, browser, code_in, enter, letters, path_in, somebody

FORM = {"game": "vasco-da-gama", "title": "The winter fleet", "seats": "4", "order": "random",
        "visibility": "public", "set": "standard", "components": "", "phrase": ""}


@pytest.fixture
def ana(client: FlaskClient, service: Service) -> Person:
    """Ana, signed in with `client`."""
    made = somebody(service, "Ana")
    enter(client, service, made)
    return made


@pytest.fixture
def bento(service: Service) -> Person:
    return somebody(service, "Bento")


@pytest.fixture
def his(flask_app: Flask, service: Service, bento: Person) -> FlaskClient:
    """Bento's browser."""
    return browser(flask_app, service, bento)


def open_game(client: FlaskClient, **choices: str) -> str:
    """Open a game by the form; the path of its page."""
    answer = client.post("/games/new", data=FORM | choices)
    assert answer.status_code == 303, text_of(answer)
    return answer.headers["Location"]


def text_of(answer: TestResponse) -> str:
    return answer.get_data(as_text=True)


def page(client: FlaskClient, path: str) -> str:
    return text_of(client.get(path))


def said(client: FlaskClient, answer: TestResponse) -> str:
    """What the next page says on top."""
    assert answer.status_code == 303
    text = page(client, answer.headers["Location"])
    return text.split('class="said"')[1].split("</div>")[0] if 'class="said"' in text else ""


def seated(service: Service) -> list[str]:
    with service.reading() as session:
        return list(session.exec(
            select(Person.name).where(SeatRow.person_id == Person.id).order_by(SeatRow.id)))  # type: ignore[arg-type]


def game(service: Service) -> Game:
    with service.reading() as session:
        return session.exec(select(Game)).one()


def invitation(service: Service) -> Invitation:
    with service.reading() as session:
        return session.exec(select(Invitation)).one()


def join_link(service: Service) -> str:
    return "/join/" + invitations.join_token(service.settings.keys, game(service))


def invitation_path(service: Service) -> str:
    token = invitations.invitation_token(service.settings.keys, invitation(service))
    return f"/invitations/{token}"


# ---- opening ------------------------------------------------------------------------------------


def test_an_opened_game_shows_its_commitment_and_the_hash_of_the_hosts_phrase(
    client: FlaskClient, flask_app: Flask, service: Service, ana: Person
) -> None:
    path = open_game(client, phrase="three caravels")

    seen = page(browser(flask_app, service), path).replace(" ", "")
    assert game(service).commitment in seen
    assert hashlib.sha256(b"three caravels").hexdigest() in seen
    assert "threecaravels" not in seen
    assert game(service).server_part.hex() not in seen


def test_every_page_of_an_open_game_shows_the_hash_of_a_players_phrase(
    client: FlaskClient, flask_app: Flask, his: FlaskClient, service: Service, ana: Person
) -> None:
    path = open_game(client, phrase="three caravels")
    client.post(path + "/invite", data={"address": "bento@players.example"})
    digest = hashlib.sha256(b"three caravels").hexdigest()
    pages = (path, join_link(service), invitation_path(service))

    shown = {(page_of, who): page(browser_of, page_of).replace(" ", "")
             for page_of in pages
             for who, browser_of in (("guest", his), ("visitor", browser(flask_app, service)))}
    shown[path, "host"] = page(client, path).replace(" ", "")

    assert [seen for seen, text in shown.items() if digest not in text] == []


def test_what_people_write_is_shown_as_text(
    client: FlaskClient, service: Service, ana: Person
) -> None:
    path = open_game(client, title="<b>bold</b> & “fine”")

    assert "<b>bold</b>" not in page(client, path)
    assert "&lt;b&gt;bold&lt;/b&gt; &amp; “fine”" in page(client, path)
    assert "<b>bold</b>" not in page(client, "/games")


def test_a_component_set_can_be_given_as_a_file(
    client: FlaskClient, service: Service, ana: Person
) -> None:
    toml = component_sets.standard_toml("vasco-da-gama").replace("reals = 3", "reals = 4", 1)
    upload: Any = (io.BytesIO(toml.encode()), "mine.toml")

    path = open_game(client, set="own", file=upload)

    assert "the host's own" in page(client, path)
    assert page(client, path + "/components.toml") == toml
    with service.reading() as session:
        assert session.exec(select(ComponentSet.toml)).all() == [toml]


def test_a_set_that_cannot_be_used_is_shown_again_with_table_row_and_reason(
    client: FlaskClient, service: Service, ana: Person
) -> None:
    toml = component_sets.standard_toml("vasco-da-gama").replace("reals = 3", "reals = 300", 1)

    answer = client.post("/games/new", data=FORM | {"set": "own", "components": toml})

    assert answer.status_code == 400
    assert "[start]" in text_of(answer)
    assert "reals" in text_of(answer).split("</form>")[0].split("<form")[0]
    assert "reals = 300" in text_of(answer)  # the typed text is still there
    with service.reading() as session:
        assert session.exec(select(Game)).all() == []


def test_a_set_that_is_too_large_is_refused(client: FlaskClient, ana: Person) -> None:
    upload: Any = (io.BytesIO(b"#" * (64 * 1024 + 1)), "large.toml")

    answer = client.post("/games/new", data=FORM | {"set": "own", "file": upload})

    assert answer.status_code == 400
    assert "64 KiB" in text_of(answer)


def test_a_request_that_is_far_too_large_gets_a_page(client: FlaskClient, ana: Person) -> None:
    upload: Any = (io.BytesIO(b"#" * 1_000_000), "huge.toml")

    answer = client.post("/games/new", data=FORM | {"set": "own", "file": upload})

    assert answer.status_code == 413
    assert "<h1>" in text_of(answer)


@pytest.mark.parametrize("wrong", [{"seats": "7"}, {"game": "chess"}, {"title": "x" * 61}])
def test_what_the_form_does_not_offer_opens_no_game(
    client: FlaskClient, service: Service, ana: Person, wrong: dict[str, str]
) -> None:
    assert client.post("/games/new", data=FORM | wrong).status_code == 400
    with service.reading() as session:
        assert session.exec(select(Game)).all() == []


# ---- who sees what ------------------------------------------------------------------------------


def test_private_games_are_not_there_for_strangers(
    client: FlaskClient, flask_app: Flask, service: Service, ana: Person, his: FlaskClient
) -> None:
    path = open_game(client, visibility="private")

    for stranger in (his, browser(flask_app, service)):
        assert stranger.get(path).status_code == 404
        assert stranger.get(path + "/components.toml").status_code == 404
        assert "The winter fleet" not in page(stranger, "/games")
        assert "The winter fleet" not in page(stranger, "/")
    for deed in ("join", "leave", "remove", "bot", "invite", "withdraw", "start", "cancel"):
        data = {"address": "a@players.example"}
        assert his.post(f"{path}/{deed}", data=data).status_code == 404, deed
    assert page(client, path)


def test_only_the_host_sees_the_link_and_the_invited_addresses(
    client: FlaskClient, service: Service, ana: Person, his: FlaskClient
) -> None:
    path = open_game(client)
    client.post(path + "/invite", data={"address": "guest@players.example"})
    his.post(path + "/join")

    assert "guest@players.example" in page(client, path)
    assert join_link(service) in page(client, path)
    assert "guest@players.example" not in page(his, path)
    assert "/join/" not in page(his, path)


def test_nobody_but_the_host_hosts(
    client: FlaskClient, service: Service, ana: Person, his: FlaskClient
) -> None:
    path = open_game(client)
    his.post(path + "/join")

    for deed in ("start", "cancel", "bot", "invite"):
        data = {"kind": "steady", "address": "a@players.example"}
        assert "Only the host" in said(his, his.post(f"{path}/{deed}", data=data)), deed
    assert game(service).state == GameState.OPEN


# ---- joining and leaving ------------------------------------------------------------------------


def test_a_public_game_is_joined_and_left(
    client: FlaskClient, service: Service, ana: Person, his: FlaskClient
) -> None:
    path = open_game(client)
    assert f'href="{path}"' in page(his, "/games")

    assert "You sit at the table" in said(his, his.post(path + "/join"))
    assert seated(service) == ["Ana", "Bento"]

    his.post(path + "/leave")
    assert seated(service) == ["Ana"]


def test_who_comes_too_late_is_told_so(
    client: FlaskClient, flask_app: Flask, service: Service, ana: Person, his: FlaskClient
) -> None:
    path = open_game(client, seats="2")
    late = browser(flask_app, service, somebody(service, "Catarina"))
    his.post(path + "/join")

    answer = late.post(path + "/join")

    assert answer.status_code == 303
    with late.session_transaction() as kept:
        assert "has begun" in dict(kept["_flashes"])["refused"]
    assert seated(service) == ["Ana", "Bento"]


def test_the_last_chair_begins_the_game_and_the_letters_are_enqueued(
    client: FlaskClient, service: Service, ana: Person, his: FlaskClient
) -> None:
    path = open_game(client, seats="2")
    rung = bell(his)

    his.post(path + "/join", data={"phrase": "a cook"})

    assert game(service).state == GameState.RUNNING
    assert rung.rung
    kinds = {str(letter["To"]).split("@")[0] for letter in letters(service)}
    assert len(kinds) == 2


def test_a_private_game_is_joined_by_its_link_and_a_visitor_signs_in_on_the_way(
    client: FlaskClient, flask_app: Flask, service: Service, ana: Person, bento: Person
) -> None:
    open_game(client, visibility="private")
    link = join_link(service)
    visitor = browser(flask_app, service)
    assert "Sign in and join" in page(visitor, link)

    way = visitor.post(link).headers["Location"]
    visitor.post("/sign-in", data={"address": bento.address, "next": link})
    done = visitor.post("/sign-in/code", data={"code": code_in(letters(service)[0])})
    visitor.post(done.headers["Location"])

    assert way == f"/sign-in?next={link}"
    assert done.headers["Location"] == link
    assert seated(service) == ["Ana", "Bento"]


def test_the_link_of_who_was_removed_is_over(
    client: FlaskClient, service: Service, ana: Person, his: FlaskClient
) -> None:
    path = open_game(client)
    link = join_link(service)
    his.post(link)
    with service.reading() as session:
        seat = session.exec(select(SeatRow.id).order_by(SeatRow.id)).all()[-1]  # type: ignore[arg-type]

    client.post(path + "/remove", data={"seat": seat})

    assert seated(service) == ["Ana"]
    assert his.post(link).status_code == 404


def test_bots_sit_down_and_the_game_begins(
    client: FlaskClient, service: Service, ana: Person
) -> None:
    path = open_game(client, seats="3")

    client.post(path + "/bot", data={"kind": "steady"})
    client.post(path + "/bot", data={"kind": "random"})

    assert game(service).state == GameState.RUNNING
    assert seated(service) == ["Ana", "Steady 1", "Random 1"]


# ---- invitations --------------------------------------------------------------------------------


def invite(client: FlaskClient, path: str, address: str = "guest@players.example") -> TestResponse:
    return client.post(path + "/invite", data={"address": address})


def test_somebody_new_is_invited_signs_in_and_sits_down(
    client: FlaskClient, flask_app: Flask, service: Service, ana: Person
) -> None:
    path = open_game(client, visibility="private")
    invite(client, path)
    link = path_in(letters(service)[0], "/invitations/")
    guest = browser(flask_app, service)
    assert "Ana invites you" in page(guest, link)

    assert guest.post(link, data={"answer": "accept"}).headers["Location"] == (
        f"/sign-in?next={link}")
    guest.post("/sign-in", data={"address": "guest@players.example", "next": link})
    guest.post("/sign-in/code", data={"code": code_in(letters(service)[0])})
    back = guest.post("/sign-in/new", data={"name": "Guest", "language": "hu",
                                            "zone": "Europe/Budapest"})
    assert back.headers["Location"] == link
    guest.post(link, data={"answer": "accept"})

    assert seated(service) == ["Ana", "Guest"]
    assert guest.get(path).status_code == 200


def test_looking_at_an_invitation_answers_nothing(
    client: FlaskClient, flask_app: Flask, service: Service, ana: Person
) -> None:
    invite(client, open_game(client))
    link = path_in(letters(service)[0], "/invitations/")
    scanner = browser(flask_app, service)

    for _ in range(3):
        assert scanner.get(link).status_code == 200
        assert scanner.head(link).status_code == 200

    assert invitation(service).state == InvitationState.PENDING


@pytest.mark.parametrize("answer", ["decline", "never"])
def test_an_invitation_is_declined_without_an_account(
    client: FlaskClient, flask_app: Flask, service: Service, ana: Person, answer: str
) -> None:
    path = open_game(client)
    invite(client, path)
    guest = browser(flask_app, service)

    guest.post(path_in(letters(service)[0], "/invitations/"), data={"answer": answer})

    assert invitation(service).state == InvitationState.DECLINED
    assert "declined" in page(client, path)


def test_the_host_cannot_tell_who_wants_no_invitations(
    client: FlaskClient, flask_app: Flask, service: Service, ana: Person
) -> None:
    first = open_game(client)
    invite(client, first, "never@players.example")
    guest = browser(flask_app, service)
    guest.post(path_in(letters(service)[0], "/invitations/"), data={"answer": "never"})
    second = open_game(client)
    page(client, second)  # what was said about the opening is read

    words = [said(client, invite(client, second, f"{name}@players.example")).replace(name, "X")
             for name in ("never", "other")]
    shown = [row.split("<span>")[1].split("</span>")[0]
             for row in page(client, second).split('<b>')[1:] if "@players.example" in row]

    assert words[0] == words[1]
    assert shown[-1] == shown[-2]
    assert "If X@players.example accepts invitations" in words[0]
    assert [letter["To"] for letter in letters(service)] == ["other@players.example"]


def test_inviting_again_and_again_does_not_tell_who_wants_no_invitations(
    client: FlaskClient, flask_app: Flask, service: Service, ana: Person
) -> None:
    first = open_game(client)
    invite(client, first, "never@players.example")
    guest = browser(flask_app, service)
    guest.post(path_in(letters(service)[0], "/invitations/"), data={"answer": "never"})
    second = open_game(client)
    page(client, second)
    told: dict[str, list[str]] = {"never": [], "other": []}

    for _ in range(5):
        for name, words in told.items():
            answer = invite(client, second, f"{name}@players.example")
            words.append(said(client, answer).replace(name, "X"))
            for row in re.findall(r'name="invitation" value="(\d+)"', page(client, second)):
                client.post(f"{second}/withdraw", data={"invitation": row})
                page(client, second)

    assert told["never"] == told["other"]


def test_a_person_may_want_no_invitations_and_take_that_back(
    client: FlaskClient, service: Service, ana: Person, his: FlaskClient, bento: Person
) -> None:
    his.post("/account/invitations", data={"invitations": "never"})
    path = open_game(client)
    invite(client, path, bento.address)
    assert letters(service) == []
    assert "You are invited" not in page(his, "/games")

    his.post("/account/invitations", data={"invitations": "welcome"})

    assert "You are invited" in page(his, "/games")


def test_an_invitation_that_was_taken_back_says_so(
    client: FlaskClient, flask_app: Flask, service: Service, ana: Person
) -> None:
    path = open_game(client)
    invite(client, path)
    link = path_in(letters(service)[0], "/invitations/")

    client.post(path + "/withdraw", data={"invitation": invitation(service).id})

    assert "taken back" in page(browser(flask_app, service), link)


# ---- cancelling ---------------------------------------------------------------------------------


def test_a_cancelled_open_game_says_so_and_its_people_get_a_letter(
    client: FlaskClient, service: Service, ana: Person, his: FlaskClient
) -> None:
    path = open_game(client)
    his.post(path + "/join")

    client.post(path + "/cancel")

    assert "This game was cancelled" in page(his, path)
    assert [str(letter["To"]) for letter in letters(service)] == [
        "Bento <bento@players.example>"]


def test_a_running_game_is_cancelled_by_consent_which_can_be_taken_back(
    client: FlaskClient, service: Service, ana: Person, his: FlaskClient
) -> None:
    path = open_game(client, seats="2")
    his.post(path + "/join")

    client.post(path + "/cancel", data={"agree": "yes"})
    client.post(path + "/cancel", data={"agree": "no"})
    his.post(path + "/cancel", data={"agree": "yes"})
    assert game(service).state == GameState.RUNNING
    assert "agrees" in page(client, path + "/cancel")

    page(client, path)  # what was said before is read
    answer = client.post(path + "/cancel", data={"agree": "yes"})

    assert game(service).state == GameState.CANCELLED
    assert "The game is cancelled." in said(client, answer)
    assert "This game was cancelled" in page(client, path)
