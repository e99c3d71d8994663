"""Which text of a letter counts, and which of its lines."""

from __future__ import annotations

import pytest

from pbem.mail.incoming.parse.reading import Mail
from tests.support.letters_read import MIXED, letter, lines, refused

# ---- which text ---------------------------------------------------------------------------------


def parts(*each: str, kind: str = MIXED) -> tuple[str, ...]:
    return lines("".join(f"--x\n{part}\n" for part in each) + "--x--\n", kind=kind)


def test_an_attachment_is_never_opened() -> None:
    attached = "Content-Type: text/plain\nContent-Disposition: attachment\n\nbid 9"
    named = 'Content-Type: text/plain\nContent-Disposition: inline; filename="a.txt"\n\nbid 9'
    assert parts(attached, named, "\npass") == ("pass",)


def test_a_forwarded_letter_is_never_opened() -> None:
    assert parts("Content-Type: message/rfc822\n\nSubject: x\n\nbid 9", "\npass") == ("pass",)


@pytest.mark.parametrize("head", [
    'Content-Type: text/plain; name="body.txt"\nContent-Disposition: inline; filename="body.txt"',
    "Content-Disposition: inline; filename*0=body; filename*1=.txt",
    "Content-Type: text/html\nContent-Disposition: INLINE; filename*=utf-8''body.html",
])  # fmt: skip
def test_the_only_text_is_read_whatever_it_is_called(head: str) -> None:
    assert parts(f"{head}\n\nbid 5", "Content-Type: image/png\n\nabc") == ("bid 5",)


@pytest.mark.parametrize(("head", "why"), [
    ("Content-Type: application/ms-tnef", "winmail"),
    ('Content-Type: application/octet-stream; name="winmail.dat"', "winmail"),
    ("Content-Type: application/pdf", "only_attached"),
    ("Content-Type: text/plain\nContent-Disposition: attachment; filename=a.txt", "only_attached"),
    ("Content-Type: message/rfc822", "only_attached"),
])  # fmt: skip
def test_a_letter_without_a_text_is_refused_with_the_reason(head: str, why: str) -> None:
    assert refused(letter(f"--x\n{head}\n\nabc\n--x--\n", kind=MIXED)) == (why, None)


@pytest.mark.parametrize("boundary", [
    'boundary*0="ab"; boundary*1="c"', 'boundary*1="c"; boundary*0="ab"', "boundary*=utf-8''abc",
    "boundary*0*=utf-8''a%62; boundary*1=c", "BOUNDARY*0=abc",
])  # fmt: skip
def test_a_boundary_may_come_in_pieces(boundary: str) -> None:
    body = "--abc\n\npass\n--abc--\n"
    assert lines(body, kind=f"multipart/mixed; {boundary}") == ("pass",)


def test_of_two_forms_the_plain_one_is_read() -> None:
    rich, plain = "Content-Type: text/html\n\n<p>bid 9</p>", "\npass"
    assert parts(rich, plain, kind='multipart/alternative; boundary="x"') == ("pass",)


def test_where_the_plain_form_is_blank_the_other_is_read() -> None:
    rich, plain = "Content-Type: text/html\n\n<p>pass</p>", "\n\xa0\n"
    assert parts(plain, rich, kind='multipart/alternative; boundary="x"') == ("pass",)


def test_a_footer_behind_a_letter_in_html_is_not_read_for_it() -> None:
    assert parts("Content-Type: text/html\n\n<p>pass</p>", "\nbid 9") == ("pass",)


def test_of_a_signed_letter_the_signed_part_is_read() -> None:
    signature = "Content-Type: application/pgp-signature\n\nabc"
    assert parts("\npass", signature, kind='multipart/signed; boundary="x"') == ("pass",)


def test_armour_around_a_clear_text_is_skipped() -> None:
    body = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\npass\n- -- \nx\n-----BEGIN PGP"
    assert lines(body) == ("pass",)


@pytest.mark.parametrize(("kind", "body"), [
    ("multipart/encrypted; boundary=x", "--x\n\npass\n--x--"),
    ("application/pkcs7-mime; smime-type=enveloped-data", "abc"),
    ("text/plain", "-----BEGIN PGP MESSAGE-----\n\nabc"),
])  # fmt: skip
def test_what_is_encrypted_is_not_read(kind: str, body: str) -> None:
    assert refused(letter(body, kind=kind)) == ("encrypted", None)


def test_a_subject_is_never_an_order() -> None:
    assert lines("", Subject="pass") == ()


@pytest.mark.parametrize("charset", [
    "x-bogus", "unknown-8bit", "", "utf8mb4", "punycode", "zlib", "rot13", "undefined", "idna",
    "cp\0", "windows-874", "iso-8859-8-i", "utf-7", "'utf-8'",
])  # fmt: skip
def test_plain_letters_are_read_whatever_the_charset_is_called(charset: str) -> None:
    assert lines(b"bid 5", kind=f'text/plain; charset="{charset}"') == ("bid 5",)


def test_utf_8_is_tried_where_the_declared_charset_does_not_fit() -> None:
    assert lines("пас".encode(), kind="text/plain; charset=us-ascii2") == ("пас",)


def test_base64_ends_where_it_ends() -> None:
    body = "cGFzcw==\n\n______\nA list's footer"
    assert lines(body, Content_Transfer_Encoding="base64") == ("pass",)


def test_a_word_cut_in_two_by_flowed_text_is_made_whole() -> None:
    kind = "text/plain; format=flowed; delsp=yes"
    assert lines("place 8 recru \niting\n", kind=kind) == ("place 8 recruiting",)


def test_flowed_lines_are_not_joined_across_quotes() -> None:
    kind = "text/plain; format=flowed"
    assert lines("pass \n> bid 9 \n> x\n", kind=kind) == ("pass",)


# ---- which lines --------------------------------------------------------------------------------


@pytest.mark.parametrize(("typed", "read_as"), [
    ("  place   8\trecruiting ", "place 8 recruiting"),
    ("bid\u00a05", "bid 5"),
    ("ｂｉｄ ５", "bid 5"),
    ("\ufeffbid\u200b 5\u2060", "bid 5"),
    ("\u202ebid 5", "bid 5"),
    ("bid 5\0", "bid 5"),
])  # fmt: skip
def test_lines_have_one_form(typed: str, read_as: str) -> None:
    assert lines(typed) == (read_as,)


@pytest.mark.parametrize("end", [
    "", "> bid 9", "＞ bid 9", "| bid 9", "PT> bid 9", "--", "-- ", "—", "--Ana", "_________",
    "##- type your move above this line -##", "> ##- type", "# #- type", "**##- type", "##— type",
    "On Sun, Nov 29, 2026 at 10:12 Carreira wrote:",
    "On Sun, Nov 29, 2026\nat 10:12 Carreira\n<table@play.example>\nwrote:",
    "Am 29.11.26 um 10:12 schrieb Carreira:", "Le dim. 29 nov. 2026 à 10:12, C a écrit :",
    "El dom, 29 nov 2026 a las 10:12, Carreira escribió:",
    "From: Carreira", "*From:* Carreira", "Feladó: Carreira", "От: Carreira", "De: Carreira",
    "Von: Carreira", "Begin forwarded message:",
    "Sent from my iPhone", "Sent from Mail for Windows", "Sent with Proton Mail secure email.",
    "Az iPhone készülékemről küldve", "iPhone-omról küldve", "Отправлено с iPhone",
    "Отправлено из мобильной Почты", "Enviado do meu iPhone", "Enviado a partir do meu Galaxy",
    "Von meinem iPhone gesendet", "Envoyé de mon iPhone", "Get Outlook for iOS",
    "Fra: Carreira <table@play.example>", "Från: Carreira", "Van: Carreira", "Da: Carreira",
    "Od: Carreira", "Lähettäjä: Carreira", "Kimden: Carreira", "Від: Carreira",
    "Sender: Carreira <table@play.example>\nDatums: 29",
    "Den søn. 29. nov. 2026 kl. 10.12 skrev Carreira:", "Den 29 nov. 2026 kl 10:12 skrev C:",
    "Op zo 29 nov 2026 om 10:12 schreef Carreira:", "Il 29 nov 2026 Carreira ha scritto:",
    "su 29.11.2026 klo 10.12 Carreira kirjoitti:", "niedz., 29 lis 2026 o 10:12 C napisał(a):",
    "ne 29. 11. 2026 v 10:12 odesílatel Carreira napsal:", "нд, 29 лист. 2026 C пише:",
    "Den søn. 29. nov. 2026 kl. 10.12 skrev Carreira\n<table@play.example>:",
    "Op zo 29 nov. 2026 om\n10:12 schreef Carreira <\ntable@play.example>:",
    "niedz., 29 lis 2026 o 10:12\nCarreira <table@play.example> napisał(a):",
    "Sendt fra min iPhone", "Skickat från min iPhone", "Verzonden vanaf mijn iPhone",
    "Wysłane z iPhone'a", "Lähetetty iPhonesta", "Odesláno z iPhonu", "Inviato da iPhone",
])  # fmt: skip
def test_reading_stops_directly_at(end: str) -> None:
    assert lines(f"\n\nbid 5\n{end}\nbid 9\n") == ("bid 5",)


@pytest.mark.parametrize("order", [
    "send natal: a1>9a, b2>9b", "merchant natal>9a", "harvest ginger@1, pepper@cochin",
    "recruit 1: 2 violet, captain", "bid 6; later: up to 4 for lot 4; pass on the rest",
    "use duty: clove@1, clove@2", "from", "de 3",
])  # fmt: skip
def test_reading_does_not_stop_at_an_order(order: str) -> None:
    attribution = "On Sun, Nov 29, 2026 at 10:12 Carreira <\ntable@play.example> wrote:\n> bid 9"
    assert lines(f"{order}\n{order}\n{attribution}") == (order, order)


@pytest.mark.parametrize("end", [
    "On 29 Nov 2026 10:12, Carreira wrote:\n> x", "On 29 Nov 2026 10:12, Carreira \nwrote:\n> x",
    "____________", "Sent from my phone", "Fra: Carreira\nSendt: 29.", "##- type your move",
])  # fmt: skip
def test_an_open_flowed_line_takes_in_nothing_of_a_quote_or_signature(end: str) -> None:
    assert lines(f"bid 5 \n{end}\n", kind="text/plain; format=flowed") == ("bid 5",)


@pytest.mark.parametrize("told", [
    "chat On Sunday at 10:12 Bento wrote:\nno war", "chat Look:\nOn Sunday Bento wrote:\nno war",
])  # fmt: skip
def test_who_chats_may_tell_what_somebody_wrote(told: str) -> None:
    quote = "\n\nOn 29 Nov 2026 10:12, Carreira wrote:\n> x"
    assert lines(told + quote) == tuple(told.split("\n"))


@pytest.mark.parametrize("attribution", [
    "On Sunday at 10:12 Bento wrote:\n> bid 9", "On Sunday Carreira wrote:\nYou hold 7.",
    "On Sunday C <table@play.example> wrote:\nYou hold 7.",
])  # fmt: skip
def test_a_quote_below_a_chat_is_not_said_to_the_table(attribution: str) -> None:
    assert lines(f"chat Hm\n{attribution}") == ("chat Hm",)


def test_what_stands_below_an_empty_line_is_told_and_not_read() -> None:
    found = letter("bid 5\n\nlater: pass\n\nAna\n\n-- \nx\n")
    assert isinstance(found, Mail)
    assert (found.lines, found.below) == (("bid 5",), ("later: pass", "Ana"))


def test_lines_that_stand_together_in_html_are_read_together() -> None:
    plain = "\nbid 5\n\nlater: pass\n\n________________________________\nFrom: C\n"
    rich = ('Content-Type: text/html\n\n<p class="MsoNormal">bid 5</p>'
            '<p class="MsoNormal">later: pass</p><div id="divRplyFwdMsg">x</div>')  # fmt: skip
    found = parts(plain, rich, kind='multipart/alternative; boundary="x"')
    assert found == ("bid 5", "later: pass")


def test_an_answer_below_the_quote_is_read() -> None:
    body = "On Sunday at 10:12 C wrote:\n> bid 9\n\n> pass\n\nbid 5\n\n-- \nAna"
    assert lines(body) == ("bid 5",)


def test_an_answer_below_a_quote_that_nobody_introduces_is_read() -> None:
    assert lines("> bid 9\n\nbid 5") == ("bid 5",)


def test_an_introduction_in_another_language_is_skipped_with_its_quote() -> None:
    introduced = "W dniu 29.11.2026 o 10:12, Carreira <table@play.example> napisał(a):"
    assert lines(f"{introduced}\n> pass\n\nbid 5") == ("bid 5",)


def test_a_line_directly_below_a_quote_may_be_its_end_and_is_a_doubt() -> None:
    found = letter("On Sunday at 10:12 C wrote:\n> you can bid 9 or\npass\n\nbid 5")
    assert isinstance(found, Mail)
    assert (found.lines, found.doubts) == (("pass",), ("below_quote",))


def test_nothing_is_read_below_an_introduction_without_a_quote_sign() -> None:
    assert lines("On Sunday at 10:12 Carreira wrote:\n\nbid 9\npass\n") == ()


def test_orders_above_an_introduction_are_not_taken_for_a_part_of_it() -> None:
    body = "bid 5\nW dniu 29.11.2026 o 10:12, C <table@play.example> napisał(a):\n> pass\n\nx"
    assert "pass" not in lines(body)
    assert lines(body.replace("napisał(a)", "wrote")) == ("bid 5",)


# ---- HTML ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("unseen", [
    "<!-- bid 9 -->", '<div style="display: none">bid 9</div>', "<p hidden>bid 9</p>",
    "<style>bid 9</style>", "<script>bid 9</script>", '<span style="font-size:0px">bid 9</span>',
    '<div style="mso-hide:all">bid 9</div>', "<s>bid 9</s>", "<title>bid 9</title>",
    '<div class="gmail_signature">bid 9</div>',
])  # fmt: skip
def test_what_nobody_saw_is_no_order(unseen: str) -> None:
    assert lines(f"{unseen}<div>pass</div>", kind="text/html") == ("pass",)


@pytest.mark.parametrize("quote", [
    "<blockquote>bid 9</blockquote>", '<div class="gmail_quote"><div>x</div>bid 9</div>',
    '<div id="divRplyFwdMsg">From</div><div>bid 9</div>',
    '<div id="x_divRplyFwdMsg">From</div><div>bid 9</div>', "<hr>bid 9",
    '<div class="yahoo_quoted">bid 9</div>',
    '<div id="mail-editor-reference-message-container">bid 9</div>',
])  # fmt: skip
def test_what_is_quoted_in_html_is_no_order(quote: str) -> None:
    assert lines(f"<div>pass</div>{quote}", kind="text/html") == ("pass",)
    assert lines(quote, kind="text/html") == ()


def test_an_answer_below_a_quote_in_html_is_read() -> None:
    html = "<div>On Sunday at 10:12 C wrote:</div><blockquote>bid 9</blockquote><p>bid 5</p>"
    assert lines(html, kind="text/html") == ("bid 5",)


def test_paragraphs_are_apart_unless_they_touch() -> None:
    assert lines("<p>bid 5</p><p>pass</p>", kind="text/html") == ("bid 5",)
    tight = '<p style="margin: 0">bid 5</p><p class="MsoNormal">pass</p>'
    assert lines(tight, kind="text/html") == ("bid 5", "pass")


def test_lines_in_html_are_lines() -> None:
    html = "<table><tr><td>bid</td><td>5</td></tr></table>pass<br/>done<ul><li>wait</ul>"
    assert lines(html, kind="text/html") == ("bid 5", "pass", "done", "wait")
