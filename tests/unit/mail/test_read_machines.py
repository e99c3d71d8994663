"""Letters that no person wrote, and what servers report."""

from __future__ import annotations

import pytest

from pbem.mail.incoming.parse.reading import Addressed, Mail, Reading, Report, Robot
from tests.support.letters_read import ANA, MIXED, TO, TOKEN, letter

# ---- machines -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("headers", "reason"), [
    ({"Auto_Submitted": "auto-generated"}, "auto_submitted"),
    ({"Auto_Submitted": "auto-replied (vacation)"}, "auto_submitted"),
    ({"Precedence": "bulk"}, "precedence"),
    ({"Precedence": "AUTO_REPLY"}, "precedence"),
    ({"X_Autoreply": "yes"}, "autoreply"),
    ({"X_Autorespond": "Your turn"}, "autorespond"),
    ({"List_Id": "<club.players.example>"}, "list"),
    ({"Return_Path": "<>"}, "null_sender"),
    ({"From": "MAILER-DAEMON@mail.example"}, "daemon"),
    ({"From": "Shop <no-reply@shop.example>"}, "daemon"),
    ({"From": "Carreira <table@play.example>"}, "own_address"),
    ({"From": f"Somebody <{TO}>"}, "own_address"),
    ({"Message_ID": "<g42.turn.17.9f86d081@play.example>"}, "own_message"),
    ({"X_Loop": "play.example"}, "loop"),
])  # fmt: skip
def test_a_machine_is_known_by_this_header(headers: dict[str, str], reason: str) -> None:
    assert letter(**headers) == Robot(reason, Addressed("turn", TOKEN))  # type: ignore[arg-type]


def test_a_letter_from_no_sender_is_a_machine() -> None:
    assert letter(sender="") == Robot("null_sender", Addressed("turn", TOKEN))


@pytest.mark.parametrize("headers", [
    {"Auto_Submitted": "no"},
    {"X_Auto_Response_Suppress": "All"},
    {"Precedence": "normal"},
    {"From": "bob@play.example"},  # people may share our domain
    {"Message_ID": "<5f2a.1234@play.example>"},
])  # fmt: skip
def test_this_header_makes_no_machine(headers: dict[str, str]) -> None:
    found = letter(**headers)  # type: ignore[arg-type]
    assert isinstance(found, Mail)
    assert found.doubts == ()


@pytest.mark.parametrize("subject", [
    "Automatic reply: [Carreira 42] Your turn", "Automatikus válasz: Te következel",
    "=?utf-8?b?0JDQstGC0L7QvtGC0LLQtdGC?=: x", "Resposta =?iso-8859-1?q?autom=E1tica?=: x",
    "Out of Office: away",
])  # fmt: skip
def test_an_automatic_subject_is_only_a_doubt(subject: str) -> None:
    found = letter(Subject=subject)
    assert isinstance(found, Mail)
    assert found.doubts == ("looks_automatic",)


def test_an_answer_to_an_automatic_subject_is_no_doubt() -> None:
    found = letter(Subject="Re: Automatic reply")
    assert isinstance(found, Mail)
    assert found.doubts == ()


def test_a_mail_program_may_unsubscribe_its_reader_by_itself() -> None:
    to = "unsub+abc@reply.play.example"
    found = letter("unsubscribe", to=to, Auto_Submitted="auto-generated")
    assert isinstance(found, Mail)
    assert (found.to, found.lines) == (Addressed("unsub", "abc"), ())


# ---- reports ------------------------------------------------------------------------------------

BOUNCE = f"bounce+{TOKEN}@reply.play.example"
DSN = "multipart/report; report-type=delivery-status; boundary=x"


def delivery(status: str, action: str = "failed", words: str = "", to: str = BOUNCE) -> Reading:
    told = f"Final-Recipient: rfc822; {ANA}\nAction: {action}\nStatus: {status}\n{words}"
    body = "--x\n\nSorry.\n--x\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; a\n\n"
    return letter(f"{body}{told}\n--x--\n", kind=DSN, to=to, sender="")


@pytest.mark.parametrize(("status", "action", "what"), [
    ("5.1.1", "failed", "hard"), ("5.1.10", "failed", "hard"), ("5.2.1", "failed", "hard"),
    ("5.2.2", "failed", "soft"),  # full
    ("5.7.26", "failed", "soft"),  # about us
    ("4.4.1", "failed", "soft"),
    ("4.4.7", "delayed", "delayed"), ("2.0.0", "delivered", "delivered"),
    ("2.0.0", "relayed", "delivered"), ("2.0.0", "expanded", "delivered"),
])  # fmt: skip
def test_a_servers_status_means(status: str, action: str, what: str) -> None:
    found = delivery(status, action)
    assert isinstance(found, Report)
    assert (found.what, found.status, found.to) == (what, status, Addressed("bounce", TOKEN))


def test_a_servers_words_may_say_more_than_its_status() -> None:
    found = delivery("5.0.0", words="Diagnostic-Code: smtp; 550-5.1.1 no such\n user here\n")
    assert isinstance(found, Report)
    assert (found.what, found.status) == ("hard", "5.1.1")
    assert found.text == "550-5.1.1 no such user here"


def test_a_report_at_an_address_that_others_know_kills_no_address() -> None:
    assert delivery("5.1.1", to=TO) == Robot("report", Addressed("turn", TOKEN))


@pytest.mark.parametrize(("sent_by", "subject"), [
    ("MAILER-DAEMON@mail.example", "x"), ("", "x"), (ANA, "Undelivered Mail Returned to Sender"),
    ("Mail Delivery System <postmaster@mail.example>", "x"),
])  # fmt: skip
def test_a_bounce_of_another_form_is_a_passing_failure(sent_by: str, subject: str) -> None:
    found = letter("Hi. This is the qmail-send program.", to=BOUNCE, sender="", From=sent_by,
                   Subject=subject)  # fmt: skip
    assert found == Report("soft", "", "", Addressed("bounce", TOKEN))


@pytest.mark.parametrize("headers", [
    {"Auto_Submitted": "auto-replied"}, {"X_Autoreply": "yes"}, {"Precedence": "auto_reply"},
    {"Subject": "Automatikus válasz: x"}, {"Subject": "Ich bin im Urlaub: [Carreira 42] x"},
    {"Subject": "Jeg er på ferie"}, {"Subject": "Something that we do not know"},
])  # fmt: skip
def test_somebody_away_is_no_bounce(headers: dict[str, str]) -> None:
    assert isinstance(letter("Away.", to=BOUNCE, sender="", **headers), Robot)


def test_a_person_at_the_bounce_address_plays_nothing() -> None:
    assert letter("pass", to=BOUNCE) == Robot("to_bounce_address", Addressed("bounce", TOKEN))


def feedback(kind: str) -> Reading:
    body = (
        "--x\n\nThis is a complaint.\n--x\nContent-Type: message/feedback-report\n\n"
        f"Feedback-Type: {kind}\nVersion: 1\nOriginal-Mail-From: <{BOUNCE}>\n\n"
        f"--x\nContent-Type: message/rfc822\n\nReply-To: {TO}\nSubject: x\n\npass\n--x--\n"
    )
    kind = "multipart/report; report-type=feedback-report; boundary=x"
    return letter(body, kind=kind, to="complaints@play.example")


def test_a_complaint_names_our_letter_by_its_bounce_address() -> None:
    assert feedback("abuse") == Report("complaint", "", "abuse", Addressed("bounce", TOKEN))


def test_who_says_it_is_no_spam_does_not_complain() -> None:
    assert feedback("not-spam") == Robot("report", None)


def test_a_note_that_a_letter_was_read_is_a_robots() -> None:
    kind = "multipart/report; report-type=disposition-notification; boundary=x"
    assert letter("--x\n\npass\n--x--", kind=kind) == Robot("report", Addressed("turn", TOKEN))


# ---- reactions ----------------------------------------------------------------------------------

ALTERNATIVE = 'multipart/alternative; boundary="x"'
JSON = "Content-Type: text/vnd.google.email-reaction+json\n\n{}"


@pytest.mark.parametrize(("body", "kind"), [
    (f"--x\n\nOK\n--x\n{JSON}\n--x--", ALTERNATIVE),
    ("--x\nContent-Disposition: reaction\n\n\U0001f44d\n--x--", MIXED),
    ("\U0001f44d\n\nAna reacted via Gmail\n\n> bid 9", "text/plain; charset=utf-8"),
    ("Ana reacted to your message:\n\u2764", "text/plain; charset=utf-8"),
    ("\u2764\ufe0f", "text/plain; charset=utf-8"),
    ("Liked “Your turn”", "text/plain; charset=utf-8"),
])  # fmt: skip
def test_a_reaction_is_nobodys_letter(body: str, kind: str) -> None:
    assert letter(body, kind=kind) == Robot("reaction", Addressed("turn", TOKEN))


@pytest.mark.parametrize("body", ["bid 5 \U0001f44d", "+1", "?", "\U0001f44d\nbid 5"])
def test_a_line_with_a_picture_is_no_reaction(body: str) -> None:
    assert isinstance(letter(body), Mail)


DOUBT = ("looks_automatic",)


# ---- subjects -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("body", "doubts"), [
    ("vacation 5 days", ()), ("*Vacation 5 days*\nstatus?", ()), ("szabadság 5 nap", ()),
    ("bid 5", DOUBT), ("chat I am away", DOUBT), ("I am away until Monday", DOUBT),
])  # fmt: skip
def test_a_subject_like_a_programs_counts_unless_the_letter_says_our_words(
    body: str, doubts: tuple[str, ...]
) -> None:
    found = letter(body, Subject="Vacation 5 days")
    assert isinstance(found, Mail)
    assert found.doubts == doubts
