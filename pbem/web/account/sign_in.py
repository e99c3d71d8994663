"""Signs people in by letter: asks for one, proves the address, asks new people for a name."""

from __future__ import annotations

from datetime import timedelta

from flask import (
    Blueprint,
    flash,
    make_response,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from itsdangerous import BadData, URLSafeTimedSerializer
from werkzeug.wrappers import Response

from pbem.accounts import auth
from pbem.accounts.sign_in_limits import LETTERS_AN_HOUR, TooManyLetters
from pbem.i18n import words
from pbem.mail.address import BadAddress, normalise
from pbem.models import Person, SignIn
from pbem.tables.lobby import stored_id
from pbem.web import context, devmail, errors, filters
from pbem.web.account.person_form import read_person
from pbem.web.enqueue import enqueue_letters
from pbem.web.filters import _, ngettext
from pbem.web.responses import COOKIE_LIFE, local_path, me, private, set_cookie

blueprint = Blueprint("sign_in", __name__)

PROVED = "proved"  # in the signed form cookie: the sign-in that proved a new person's address
BROWSER_LIFE = timedelta(hours=1)
KNOWN_LIFE = timedelta(days=400)  # longer than any session; browsers keep no cookie longer


# ---- asking for a letter ------------------------------------------------------------------------


@blueprint.get("/sign-in")
def form() -> Response | str:
    """Show the form for the address."""
    then = local_path(request.args.get("next"))
    if context.person() is not None:
        return redirect(then or url_for("lobby.games"), 303)
    return render_template("account/sign_in.html", next=then, address="", wrong="")


@blueprint.post("/sign-in")
def send_letter() -> Response:
    """Queue the letter. The answer is the same for every address, to prevent enumeration."""
    typed = request.form.get("address", "")
    then = local_path(request.form.get("next"))
    try:
        address = normalise(typed)
    except BadAddress:
        wrong = _("This is not a mail address that letters can be sent to.")
        page = render_template("account/sign_in.html", next=then, address=typed, wrong=wrong)
        return make_response(page, 400)
    browser = auth.new_secret()
    service, writing = context.service(), context.writing()
    try:
        auth.ask_to_sign_in(
            writing, address=address, browser=browser, then=then,
            registration=service.settings.registration, language=context.language(),
            now=service.clock.now(), known=known_browser(),
        )
    except TooManyLetters:
        return too_many()
    return letter_is_due(browser)


def too_many() -> Response:
    """Answer 429 for an address that was sent its letters of this hour, known here or not."""
    context.writing().rollback()
    return errors.page(429, why=ngettext(
        "%(num)s letter an hour is all that one address may be sent. Look into your mailbox, "
        "in the folder for unwanted mail too, or wait a while.",
        "%(num)s letters an hour are all that one address may be sent. Look into your mailbox, "
        "in the folder for unwanted mail too, or wait a while.", LETTERS_AN_HOUR,
    ))


def letter_is_due(browser: str) -> Response:
    """Commit, wake the sender, and mark this browser as the one that asked."""
    context.writing().commit()
    enqueue_letters()
    answer = redirect(url_for("sign_in.code"), 303)
    set_cookie(answer, context.BROWSER, browser, BROWSER_LIFE)
    return answer


# ---- known browsers -----------------------------------------------------------------------------


def known_browser() -> auth.KnownBrowser | None:
    """Return the person and browser of the signed cookie, if it is there and valid."""
    given = request.cookies.get(context.KNOWN, "")
    try:
        person_id, browser = of_known_browsers().loads(
            given, max_age=int(KNOWN_LIFE.total_seconds()))
    except BadData:
        return None
    return auth.KnownBrowser(person_id, browser)


def remember_browser(answer: Response, person: Person) -> None:
    """Mark this browser as known: strangers' requests do not use up its share of letters."""
    before = known_browser()
    browser = before.browser if before is not None else auth.new_secret()
    cookie = of_known_browsers().dumps([person.id, browser])
    set_cookie(answer, context.KNOWN, cookie, KNOWN_LIFE)


def of_known_browsers() -> URLSafeTimedSerializer:
    """Return the serializer that signs and reads the cookies of known browsers."""
    keys = context.service().settings.keys
    return URLSafeTimedSerializer([*reversed(keys.old), keys.new], salt="known browser")


# ---- proving an address -------------------------------------------------------------------------


def asking_browser() -> str:
    """Return the cookie of the browser that asked for a letter, or ""."""
    return request.cookies.get(context.BROWSER, "")


@blueprint.get("/sign-in/code")
def code() -> Response:
    """Show the form for the letter's code, in the browser that asked for it."""
    return code_page()


def code_page(*, status: int = 200, wrong: str = "") -> Response:
    reading, settings = context.reading(), context.service().settings
    asked = auth.by_browser(reading, asking_browser(), context.service().clock.now())
    refused = None if asked is None else auth.refused(reading, asked)
    return private(render_template(
        "account/code.html", asked=asked, wrong=wrong, refused=refused,
        registration=settings.registration, has_mail_server=settings.smtp_url is not None,
        is_asked_here=devmail.is_asked_here(),
    ), status)


@blueprint.post("/sign-in/code")
def use_code() -> Response:
    """Try the code; after five wrong ones only the letter's link works."""
    writing, now = context.writing(), context.service().clock.now()
    try:
        proved = auth.prove_by_code(writing, asking_browser(), request.form.get("code", ""), now)
    except auth.NotProved:
        writing.rollback()
        return code_page(status=400)
    except auth.CodesOver:
        writing.rollback()
        return code_page(status=400, wrong=_(
            "Too many wrong codes were typed. Press the link in the letter: it still works."))
    if proved is None:
        writing.commit()
        return code_page(status=400, wrong=_("This is not the code of the newest letter."))
    return proved_address(proved)


@blueprint.get("/sign-in/<token>")
def link(token: str) -> Response:
    """Show what the link does, and a button. Changes nothing: mail scanners follow links."""
    asked = auth.by_link(context.reading(), token, context.service().clock.now())
    if asked is None:
        return private(render_template("account/link_over.html"), 404)
    return private(render_template("account/link.html", asked=asked, token=token))


@blueprint.post("/sign-in/<token>")
def use_link(token: str) -> Response:
    """Use the link; it works once."""
    writing, now = context.writing(), context.service().clock.now()
    asked = auth.by_link(context.reading(), token, now)
    if asked is not None and not belongs_here(asked):
        return redirect(url_for("sign_in.form", next=request.path), 303)
    try:
        proved = auth.prove_by_link(writing, token, now)
    except auth.NotProved:
        writing.rollback()
        return private(render_template("account/link_over.html"), 404)
    return proved_address(proved)


def belongs_here(asked: SignIn) -> bool:
    """Tell whether this browser may use the link.

    A second address is confirmed by the person who gave it, signed in. Anybody may use other links.
    """
    person = context.person()
    return asked.purpose != auth.SECOND_ADDRESS or (
        person is not None and person.id == asked.person_id)


def proved_address(proved: SignIn) -> Response:
    """Continue after the proof: sign in, ask for a name, or keep the confirmed address."""
    writing, settings = context.writing(), context.service().settings
    if proved.purpose == auth.SECOND_ADDRESS:
        return keep_second_address(proved)
    if proved.purpose == auth.CONFIRM:
        return letters_go_there_again(proved)
    person = auth.person_with(writing, proved.address)
    if person is not None and person.unnamed:
        flash(words.gettext("Welcome. Choose the name that others see here, and your time zone.",
                            person.language))
        return signed_in_with_greeting(person, url_for("account.account"))
    if person is not None:
        return signed_in(person, proved.next)
    if not auth.may_enter(writing, proved.address, settings.registration):
        writing.commit()
        return private(render_template("account/closed.html"), 403)
    writing.commit()
    session.clear()
    session[PROVED] = proved.id
    return redirect(url_for("sign_in.new_person"), 303)


def signed_in(person: Person, then: str | None) -> Response:
    """Open a new session for this browser; ends the one before it and its forms."""
    writing, now = context.writing(), context.service().clock.now()
    old = request.cookies.get(context.COOKIE)
    before = context.person()
    if old and before is not None:
        auth.end_session(writing, auth.hashed(old), person_id=stored_id(before))
    agent = request.headers.get("User-Agent", "")
    cookie = auth.open_session(writing, stored_id(person), agent=agent, now=now)
    writing.commit()
    session.clear()
    answer = redirect(local_path(then) or url_for("lobby.games"), 303)
    set_cookie(answer, context.COOKIE, cookie, COOKIE_LIFE)
    remember_browser(answer, person)
    answer.delete_cookie(context.BROWSER)
    return answer


def keep_second_address(proved: SignIn) -> Response:
    writing = context.writing()
    person = me(writing) if belongs_here(proved) else None
    try:
        if person is None:
            raise auth.NotProved
        auth.confirm_second_address(writing, proved, person)
    except auth.NotProved:
        writing.rollback()
        return private(render_template("account/link_over.html"), 404)
    except auth.AddressTaken:
        flash(_("%(address)s belongs to another account here, so it cannot be your second "
                "address.", address=proved.address), "refused")
    else:
        only_here(person)
        flash(_("%(address)s is now your second address.", address=proved.address))
    writing.commit()
    return redirect(url_for("account.account"), 303)


def only_here(person: Person) -> None:
    """Sign a person out everywhere but in this browser; the caller commits."""
    here = auth.hashed(request.cookies.get(context.COOKIE, ""))
    auth.end_other_sessions(context.writing(), stored_id(person), kept=here)


def letters_go_there_again(proved: SignIn) -> Response:
    """Resume letters to an address that refused some and is now confirmed."""
    context.writing().commit()
    flash(_("Letters go to %(address)s again.", address=proved.address))
    return redirect(url_for("account.account"), 303)


# ---- new people ---------------------------------------------------------------------------------


@blueprint.get("/sign-in/new")
def new_person() -> Response | str:
    """Ask a new person for a name, once their address is proved."""
    if PROVED not in session:
        return redirect(url_for("sign_in.form"), 303)
    language = context.language()
    zone = filters.HOME_ZONES.get(language, "UTC")
    return new_person_page({"name": "", "language": language, "zone": zone}, {})


def new_person_page(values: dict[str, str], wrong: dict[str, str]) -> str:
    return render_template("account/new_person.html", values=values, wrong=wrong,
                           languages=filters.LANGUAGE_NAMES, zones=filters.zones())


@blueprint.post("/sign-in/new")
def register() -> Response:
    """Create the person and sign them in."""
    if PROVED not in session:
        return redirect(url_for("sign_in.form"), 303)
    values, wrong = read_person(request.form)
    if wrong:
        return make_response(new_person_page(values, wrong), 400)
    service, writing = context.service(), context.writing()
    try:
        person = auth.register(
            writing, sign_in_id=session[PROVED], registration=service.settings.registration,
            name=values["name"], language=values["language"], zone=values["zone"],
            now=service.clock.now(),
        )
    except (auth.NotProved, auth.AddressTaken):
        writing.rollback()
        session.pop(PROVED)
        return private(render_template("account/link_over.html"), 404)
    proved = writing.get_one(SignIn, session[PROVED])
    flash(words.gettext("Welcome, %(name)s.", person.language, name=person.name))
    return signed_in_with_greeting(person, proved.next)


def signed_in_with_greeting(person: Person, then: str | None) -> Response:
    """Sign in and keep the flashed greeting, as signing in clears the form cookie."""
    said = session.get("_flashes", [])
    answer = signed_in(person, then)
    session["_flashes"] = said
    return answer
