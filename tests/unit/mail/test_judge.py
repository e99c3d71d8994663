"""Whose a letter is, whether it is believed, and what it does."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from pbem.mail.incoming import store
from pbem.mail.incoming.judge import confirm, judge
from pbem.mail.incoming.parse.reading import Envelope
from pbem.mail.letters.receipts import wrong
from pbem.models import Game, InboundState, Outbox, Person, SeatRow, stored_id
from pbem.play.receipts import RECEIPTS_A_DAY
from pbem.service import Service
from tests.support.answering import Answers, at_table, placing, written
from tests.support.letterfactory import person, text_of, the_letter

ORDER = "place 8 recruiting"


@pytest.fixture
def table(service: Service) -> Answers:
    return at_table(service, placing)


def trusting(table: Answers, trust: str, authserv_id: str | None = None) -> Answers:
    """The same service with another trust in letters."""
    settings = replace(table.service.settings, mail_trust=trust, authserv_id=authserv_id)
    return replace(table, service=replace(table.service, settings=settings))


# ---- orders -------------------------------------------------------------------------------------


def test_an_order_is_played_and_answered_by_a_receipt(table: Answers) -> None:
    came = table.says(table.letter(), f"{ORDER}\n\nThanks!")
    assert came.state == InboundState.PLAYED
    assert table.enqueued == [table.game_id]
    assert table.all("receipt") == []
    table.advance()
    [receipt] = table.all("receipt")
    assert (receipt.game_id, receipt.about_id) == (table.game_id, came.id)
    assert [sent.orders for sent in table.submissions()] == [ORDER]
    assert table.told(came).lines == [ORDER]


def test_a_letter_is_judged_once_however_often_it_is_asked_for(table: Answers) -> None:
    came = table.says(table.letter(), ORDER)
    again = judge(table.service, stored_id(came), enqueue=table.enqueued.append)
    assert again == InboundState.PLAYED
    assert len(table.submissions()) == 1


def test_a_second_copy_is_ignored_without_an_answer(table: Answers) -> None:
    letter = table.letter()
    table.says(letter, ORDER, Message_ID="<once@players.example>")
    second = table.says(letter, ORDER, Message_ID="<once@players.example>")
    assert (second.state, second.reason) == (InboundState.IGNORED, "duplicate")
    assert len(table.submissions()) == 1


def test_without_a_message_id_the_same_lines_to_the_same_address_are_one_letter(
    table: Answers,
) -> None:
    letter = table.letter()
    first = table.says(letter, ORDER, Message_ID="")
    second = table.says(letter, f"{ORDER.upper()}  ", Message_ID="")
    assert [first.state, second.state] == [InboundState.PLAYED, InboundState.IGNORED]


def test_a_name_below_the_orders_is_told_and_not_played(table: Answers) -> None:
    came = table.says(table.letter(), f"{ORDER}\nAna")
    assert table.told(came).signed == "Ana"
    assert [sent.orders for sent in table.submissions()] == [ORDER]


def test_a_last_line_that_looks_like_an_order_is_no_name(table: Answers) -> None:
    came = table.says(table.letter(), f"{ORDER}\nplase 9 projects")
    assert came.state == InboundState.REFUSED
    assert table.submissions() == []


def test_an_only_line_is_never_a_name(table: Answers) -> None:
    came = table.says(table.letter(), "Ana")
    refusal = table.told(came).refusal
    assert came.state == InboundState.REFUSED
    assert refusal is not None
    assert refusal.key == "unknown_verb"


def test_a_letter_without_a_line_is_refused_and_answered(table: Answers) -> None:
    came = table.says(table.letter(), f"> {ORDER}\n")
    assert (came.state, came.reason) == (InboundState.REFUSED, "no_orders")
    assert len(table.all("receipt")) == 1


def test_an_illegal_order_is_refused_with_its_rule_and_lines_that_would_do(
    table: Answers,
) -> None:
    came = table.says(table.letter(), "place 22 recruiting")
    refusal = table.told(came).refusal
    assert came.state == InboundState.REFUSED
    assert refusal is not None
    assert refusal.choices
    assert table.told(came).draft == ["place 22 recruiting"]
    assert len(table.all("receipt")) == 1
    assert table.all("refused") == []


def test_an_answer_to_an_older_question_is_stale_and_changes_nothing(table: Answers) -> None:
    letter = table.letter()
    table.change(Outbox, letter.id, shown=(letter.shown or 2) - 1)
    came = table.says(letter, ORDER)
    assert (came.state, came.reason) == (InboundState.REFUSED, "position_moved_on")
    assert table.submissions() == []


def test_orders_refused_when_they_are_played_are_told_in_the_receipt_alone(
    table: Answers,
) -> None:
    letter = table.letter()
    first, second = table.says(letter, ORDER), table.says(letter, "place 9 recruiting")
    table.advance()
    states = [table.inbound(stored_id(came)).state for came in (first, second)]
    assert states == [InboundState.PLAYED, InboundState.REFUSED]
    assert len(table.all("receipt")) == 2
    assert table.all("refused") == []


def test_more_than_twenty_lines_are_not_played(table: Answers) -> None:
    came = table.says(table.letter(), "\n".join([ORDER] * 21))
    assert (came.state, table.submissions()) == (InboundState.REFUSED, [])


# ---- trust --------------------------------------------------------------------------------------


def test_a_letter_from_another_address_is_held_and_its_owner_is_asked(table: Answers) -> None:
    came = table.says(table.letter(), ORDER, sender="eve@elsewhere.example")
    assert (came.state, came.reason) == (InboundState.HELD, "other_sender")
    [asked] = table.all("held")
    assert asked.person_id == table.person("Ana").id
    assert table.submissions() == []


@pytest.mark.parametrize(
    ("sender", "body", "reason"),
    [("ana@players.example, eve@elsewhere.example", ORDER, "several_senders"),
     ("ana@players.example", f"> Shall I?\n{ORDER}", "below_quote")],
)  # fmt: skip
def test_a_letter_that_leaves_doubts_is_held(
    table: Answers, sender: str, body: str, reason: str
) -> None:
    came = table.says(table.letter(), body, From=sender)
    assert (came.state, came.reason) == (InboundState.HELD, reason)


def test_a_confirmed_second_address_is_its_owners_too(table: Answers) -> None:
    table.change(Person, table.person("Ana").id, second_address="ana@work.example")
    came = table.says(table.letter(), ORDER, sender="ana@work.example")
    assert came.state == InboundState.PLAYED


def test_held_letters_are_asked_about_once_a_day_and_reason(table: Answers) -> None:
    letter = table.letter()
    for _ in range(3):
        table.says(letter, ORDER, sender="eve@elsewhere.example")
    assert len(table.all("held")) == 1
    table.service.clock.forward(timedelta(days=1, minutes=1))  # type: ignore[attr-defined]
    table.says(letter, ORDER, sender="eve@elsewhere.example")
    assert len(table.all("held")) == 2


@pytest.mark.parametrize("body", [ORDER, "place 22 recruiting", "status", "chat Hello"])
def test_whoever_writes_from_an_address_that_refused_letters_is_answered_there(
    table: Answers, body: str
) -> None:
    letter = table.letter()
    table.change(Person, table.person("Ana").id, suppressed="550 5.1.1 no such user")
    table.says(letter, body)
    table.advance()
    assert table.person("Ana").suppressed is None
    assert any("receipt" in str(each["Message-ID"]) for each in table.sent().letters)


def test_a_letter_that_is_not_believed_lifts_no_suppression(table: Answers) -> None:
    letter = table.letter()
    table.change(Person, table.person("Ana").id, suppressed="550 5.1.1 no such user")
    trusting(table, "dmarc", "mx.play.example").says(letter, ORDER)
    assert table.person("Ana").suppressed is not None


@pytest.mark.parametrize(
    ("told", "state"),
    [("dmarc=pass", InboundState.PLAYED), ("dmarc=fail", InboundState.HELD),
     ("", InboundState.HELD)],
)  # fmt: skip
def test_where_the_server_checks_senders_its_word_decides(
    table: Answers, told: str, state: InboundState
) -> None:
    checked = trusting(table, "dmarc", "mx.play.example")
    headers = {"Authentication_Results": f"mx.play.example; {told} header.from=players.example"}
    came = checked.says(checked.letter(), ORDER, **(headers if told else {}))
    assert came.state == state


def test_where_nothing_is_trusted_every_letter_is_held(table: Answers) -> None:
    careful = trusting(table, "hold")
    came = careful.says(careful.letter(), ORDER)
    assert (came.state, came.reason) == (InboundState.HELD, "always")


def test_where_nothing_is_trusted_a_reader_is_asked_about_each_of_his_letters(
    table: Answers,
) -> None:
    careful = trusting(table, "hold")
    letter = careful.letter()
    for number in range(23):
        careful.says(letter, f"place {number} recruiting")
    assert len(careful.all("held")) == RECEIPTS_A_DAY


def test_each_letter_that_stands_close_to_a_quote_is_asked_about(table: Answers) -> None:
    letter = table.letter()
    for _ in range(2):
        table.says(letter, f"> Shall I?\n{ORDER}")
    assert len(table.all("held")) == 2


def test_a_program_that_answers_each_question_is_asked_once_a_day(table: Answers) -> None:
    careful = trusting(table, "hold")
    letter = careful.letter()
    for _ in range(3):
        careful.says(letter, ORDER, Subject="Out of office")
    assert len(careful.all("held")) == 1


def test_a_letter_that_is_held_takes_no_other_ones_place(table: Answers) -> None:
    letter = table.letter()
    same = "<same@players.example>"
    table.says(letter, "place 9 projects", sender="eve@elsewhere.example", Message_ID=same)
    came = table.says(letter, ORDER, Message_ID=same)
    assert came.state == InboundState.PLAYED


def test_letters_of_robots_are_ignored_without_an_answer(table: Answers) -> None:
    came = table.says(table.letter(), ORDER, Auto_Submitted="auto-replied")
    assert came.state == InboundState.IGNORED
    assert table.submissions() == []
    assert table.all("receipt") + table.all("held") == []


def test_an_address_that_we_did_not_write_is_answered_by_nobody(table: Answers) -> None:
    recipient = f"turn+{'a' * 26}@{table.service.settings.reply_domain}"
    came = table.arrives(written(recipient, ORDER, "ana@players.example"), recipient)
    assert (came.state, came.reason) == (InboundState.IGNORED, "unknown_address")


@pytest.mark.parametrize("purpose", ["bounce", "words", "unsub"])
def test_an_address_for_something_else_plays_nothing(table: Answers, purpose: str) -> None:
    table.says(table.letter(), ORDER, purpose=purpose)  # type: ignore[arg-type]
    assert table.submissions() == []


def test_orders_where_words_only_are_taken_are_refused_with_the_reason(table: Answers) -> None:
    came = table.says(table.letter(), ORDER, purpose="words")
    assert (came.state, came.reason) == (InboundState.REFUSED, "words_only")
    assert len(table.all("receipt")) == 1


def test_who_has_left_the_seat_plays_nothing_and_hears_why(table: Answers) -> None:
    letter = table.letter()
    table.change(SeatRow, table.seat().id, resigned=table.service.clock.now())

    came = table.says(letter, ORDER)

    assert (came.state, came.reason) == (InboundState.REFUSED, "seat_left")
    receipt = the_letter(table.service, "receipt", "ana@")
    assert "You hold no seat in that game" in text_of(receipt)
    assert "Your turn" in receipt["Subject"]
    assert "place 8" not in text_of(receipt)
    assert table.submissions() == []


def test_who_was_followed_in_the_seat_hears_that_it_is_not_theirs_any_more(
    table: Answers
) -> None:
    letter = table.letter()
    with table.service.writing() as session:
        other = person(session, "Zita")
        session.commit()
        number = other.id
    table.change(SeatRow, table.seat().id, person_id=number)

    assert table.says(letter, ORDER).reason == "seat_left"
    assert "You hold no seat" in text_of(the_letter(table.service, "receipt", "ana@"))


def test_a_stranger_who_answers_the_letter_of_a_seat_that_was_left_hears_nothing(
    table: Answers
) -> None:
    letter = table.letter()
    table.change(SeatRow, table.seat().id, resigned=table.service.clock.now())
    for sender in ("eve@elsewhere.example", "bento@players.example"):
        assert table.says(letter, ORDER, sender=sender).state == InboundState.IGNORED
    assert table.all("receipt") == []


def test_words_are_answered_for_thirty_days_after_the_end(table: Answers) -> None:
    letter, now = table.letter(), table.service.clock.now()
    table.change(Game, table.game_id, ended=now - timedelta(days=29))
    assert table.says(letter, "log").state == InboundState.PLAYED
    table.change(Game, table.game_id, ended=now - timedelta(days=31))
    assert table.says(letter, "log").reason == "game_over"
    receipt = table.all("receipt")[-1]
    assert receipt.game_id == table.game_id


# ---- how many answers ---------------------------------------------------------------------------


def test_twenty_letters_a_day_are_answered_then_one_says_so(table: Answers) -> None:
    letter = table.letter()
    came = [table.says(letter, "place 22 recruiting") for _ in range(23)]
    assert len(table.all("receipt")) == 21
    assert [table.told(row).last_today for row in came[19:21]] == [False, True]
    assert table.says(letter, ORDER).state == InboundState.PLAYED


@pytest.mark.parametrize(("body", "said"), [
    (f"place {'8' * 300} recruiting", "A line of it is longer than 200 characters."),
    ("\n".join([ORDER] * 21), "The letter has more than 20 lines of orders."),
])  # fmt: skip
def test_a_refusal_names_the_limit(table: Answers, body: str, said: str) -> None:
    came = table.says(table.letter(), body)
    assert wrong(table.told(came), "en") == said


@pytest.mark.parametrize("body", ["\n".join([ORDER] * 21), f"place {'8' * 300} recruiting"])
def test_each_letter_with_too_much_in_it_is_answered(table: Answers, body: str) -> None:
    letter = table.letter()
    for _ in range(2):
        assert table.says(letter, body).state == InboundState.REFUSED
    assert len(table.all("receipt")) == 2


def test_a_strangers_letter_with_too_much_in_it_is_not_answered(table: Answers) -> None:
    letter = table.letter()
    table.says(letter, "\n".join([ORDER] * 21), sender="eve@elsewhere.example")
    assert table.all("receipt") == []


def test_a_letter_that_is_past_a_limit_is_answered_once_a_day(table: Answers) -> None:
    recipient = table.address(letter := table.letter())
    deep = b"".join(b"--b\r\n\r\n" for _ in range(2000))
    for _ in range(2):
        raw = written(recipient, ORDER, "ana@players.example") + deep
        came = table.arrives(raw, recipient)
        assert came.state == InboundState.REFUSED
    assert letter.id == came.letter_id
    assert len(table.all("receipt")) == 1


def test_a_wish_to_stop_letters_stops_those_of_the_game(table: Answers) -> None:
    came = table.says(table.letter(), "", purpose="unsub", Auto_Submitted="auto-generated")
    assert came.state == InboundState.PLAYED
    assert table.seat().letters == "none"


# ---- PostgreSQL ---------------------------------------------------------------------------------


def test_letters_are_judged_alike_on_postgresql(postgres_service: Service) -> None:
    table = at_table(postgres_service, placing)
    letter, same = table.letter(), "<same@players.example>"
    states = [
        table.says(letter, "place 22 recruiting; chat Hm").state,
        table.says(letter, ORDER, Message_ID=same).state,
        table.says(letter, ORDER, Message_ID=same).state,
        table.says(letter, ORDER, sender="eve@elsewhere.example").state,
    ]
    assert states == ["refused", "played", "ignored", "held"]
    table.advance()
    assert table.says(letter, "undo\nplace 9 projects").state == InboundState.PLAYED
    table.advance()
    assert [sent.orders for sent in table.submissions()] == [ORDER, "place 9 projects"]
    assert [row.game_id for row in table.all("receipt")] == [table.game_id] * 3


def test_of_two_copies_judged_at_once_one_is_played(postgres_service: Service) -> None:
    table = at_table(postgres_service, placing)
    letter = table.letter()
    recipient = table.address(letter)
    raw = written(recipient, ORDER, "ana@players.example")
    envelope = Envelope("ana@players.example", recipient, "smtp")
    copies = [store.store(table.service, envelope, raw) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        judged = list(pool.map(lambda each: judge(table.service, each, enqueue=print), copies))
    assert sorted(judged) == ["ignored", "ignored", "ignored", "played"]
    assert len(table.submissions()) == 1


def test_a_held_letter_that_is_confirmed_from_several_tabs_at_once_is_played_once(
    postgres_service: Service,
) -> None:
    table = at_table(postgres_service, placing)
    came = table.says(table.letter(), ORDER, sender="eve@elsewhere.example")
    who = stored_id(table.person("Ana"))
    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(
            lambda _: confirm(table.service, stored_id(came), who, enqueue=table.enqueued.append),
            range(4),
        ))  # fmt: skip
    assert said == [InboundState.PLAYED] * 4
    assert len(table.submissions()) == len(table.enqueued) == 1


def test_of_letters_that_take_back_at_once_one_does(postgres_service: Service) -> None:
    table = at_table(postgres_service, placing)
    letter = table.letter()
    table.says(letter, ORDER)
    table.advance()
    before = table.game().last_entry
    recipient = table.address(letter)
    envelope = Envelope("ana@players.example", recipient, "smtp")
    came = [
        store.store(table.service, envelope, written(recipient, "undo", "ana@players.example"))
        for _ in range(4)
    ]
    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(lambda each: judge(table.service, each, enqueue=print), came))
    assert sorted(said) == [InboundState.PLAYED, *[InboundState.REFUSED] * 3]
    assert table.game().last_entry == before + 1
    assert len(table.all("receipt")) == 5
