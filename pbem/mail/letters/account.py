"""Letters about a person's account: proofs of addresses, vacation, web hooks, reports."""

from __future__ import annotations

from sqlmodel import Session

from pbem.accounts import auth, recovery_links
from pbem.i18n import words
from pbem.i18n.words import msgid
from pbem.mail.letter import DueLetter, LetterContext, LetterKind, Reader, Values, always_true
from pbem.mail.letters.context import reader_at
from pbem.models import Outbox, Person, SignIn, Vacation
from pbem.models.archive import WebHook
from pbem.models.operators import Recovery, Report
from pbem.tables import lists, vacation


def asking(session: Session, row: Outbox) -> Reader | None:
    """Return who reads at the address that is to be proved."""
    sign_in = session.get(SignIn, row.about_id)
    return reader_at(session, sign_in.address, sign_in.language) if sign_in else None


def is_usable(it: DueLetter) -> bool:
    """Return whether the secrets of a proof can still be used."""
    sign_in = it.session.get(SignIn, it.row.about_id)
    return sign_in is not None and sign_in.used is None and it.now < sign_in.expires


def proof(it: LetterContext) -> Values:
    """Draw a link and a code. Only their hashes are stored."""
    asked = it.session.get_one(SignIn, it.row.about_id)
    token, code = auth.issue_secrets(it.session, asked, it.now)
    return {
        "link": f"{it.settings.base_url}/sign-in/{token}",
        "code": code,
        "expires": asked.expires,
    }


SIGN_IN = LetterKind(
    "sign_in", msgid("Sign-in"), is_usable, proof, asking, is_proof=True)
SECOND_ADDRESS = LetterKind(
    "second_address", msgid("Proof of the second address"), is_usable, proof, asking,
    is_proof=True)
CONFIRM = LetterKind(
    "confirm", msgid("Proof of an address that refused letters"), is_usable, proof, asking,
    is_proof=True)


# ---- an account whose mailbox is lost -----------------------------------------------------------


def of_account(session: Session, row: Outbox) -> Reader | None:
    """Return who reads at an address of the account, old or new. It need not be its owner."""
    recovery = session.get(Recovery, row.about_id)
    person = session.get(Person, recovery.person_id) if recovery else None
    if person is None:
        return None
    return Reader(row.address or "", "", person.language, person.zone)


def is_to_come(it: DueLetter) -> bool:
    """Return whether the account is still to get the address."""
    recovery = it.session.get(Recovery, it.row.about_id)
    return recovery is not None and recovery.stopped is None and recovery.done is None


def is_done(it: DueLetter) -> bool:
    """Return whether the account has got the address."""
    recovery = it.session.get(Recovery, it.row.about_id)
    return recovery is not None and recovery.stopped is None and recovery.done is not None


def recover(it: LetterContext) -> Values:
    """To the new address: a link to confirm it."""
    found = it.session.get_one(Recovery, it.row.about_id)
    return account(it, found) | {"link": link(it, "confirm", found)}


def recovery(it: LetterContext) -> Values:
    """To an old address: what will happen, and a link that stops it."""
    found = it.session.get_one(Recovery, it.row.about_id)
    return account(it, found) | {"link": link(it, "stop", found)}


def recovered(it: LetterContext) -> Values:
    """To all of them: it has happened."""
    found = it.session.get_one(Recovery, it.row.about_id)
    return account(it, found) | {"is_new": it.reader.address == found.address,
                                 "link": f"{it.settings.base_url}/sign-in"}


def account(it: LetterContext, found: Recovery) -> Values:
    """Return whose account it is, and when the change happens."""
    return {"name": it.session.get_one(Person, found.person_id).name, "due": found.due}


def link(it: LetterContext, purpose: recovery_links.Purpose, found: Recovery) -> str:
    """Return the URL of the page with the button."""
    token = recovery_links.token(it.settings.keys, purpose, found, it.row.message_id)
    return f"{it.settings.base_url}/recovery/{token}"


RECOVER = LetterKind(
    "recover", msgid("Proof of an account's new address"), is_to_come, recover, of_account,
    is_proof=True)
RECOVERY = LetterKind(
    "recovery", msgid("An account is to get another address"), is_to_come, recovery, of_account,
    is_proof=True)
RECOVERED = LetterKind(
    "recovered", msgid("An account has another address"), is_done, recovered, of_account,
    is_proof=True)


# ---- test letters -------------------------------------------------------------------------------


def test(it: LetterContext) -> Values:
    """Return a letter that only proves that letters arrive."""
    return {"page": f"{it.settings.base_url}/letters"}


TEST = LetterKind(
    "test", msgid("Test letter"), always_true, test, is_on_request=True)


# ---- vacation -----------------------------------------------------------------------------------


def is_back(it: DueLetter) -> bool:
    """Return whether the vacation has ended."""
    found = it.session.get(Vacation, it.row.about_id)
    return found is not None and found.ends <= it.now


def vacation_over(it: LetterContext) -> Values:
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


VACATION_OVER = LetterKind(
    "vacation_over", msgid("Your vacation is over"), is_back, vacation_over)


# ---- web hooks and reports ----------------------------------------------------------------------


def is_off(it: DueLetter) -> bool:
    """Return whether the web hook is still switched off."""
    hook = it.session.get(WebHook, it.row.about_id)
    return hook is not None and hook.off is not None


def hook_off(it: LetterContext) -> Values:
    """Report a web hook that was switched off after too many failures."""
    hook = it.session.get_one(WebHook, it.row.about_id)
    return {"url": hook.url, "why": hook.why, "failures": hook.failures,
            "page": f"{it.settings.base_url}/account/hooks"}


HOOK_OFF = LetterKind("hook_off", msgid("A web hook was switched off"), is_off, hook_off)


def is_settled(it: DueLetter) -> bool:
    """Return whether the report has an outcome to tell."""
    found = it.session.get(Report, it.row.about_id)
    return found is not None and found.settled is not None


def report(it: LetterContext) -> Values:
    """Say what became of the reader's report to the operators."""
    found = it.session.get_one(Report, it.row.about_id)
    return {"report": found, "about": it.session.get_one(Person, found.about_id).name,
            "page": f"{it.settings.base_url}/account"}


REPORT = LetterKind("report", msgid("What became of your report"), is_settled, report)
