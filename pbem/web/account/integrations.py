"""Serves a person's API tokens and web hooks: create, confirm, revoke."""

from __future__ import annotations

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from pbem.accounts import api_tokens, web_hooks
from pbem.accounts.hook_addresses import BadUrl
from pbem.hooks import deliver
from pbem.models import Person
from pbem.models.archive import HookCall
from pbem.web import context
from pbem.web.enqueue import enqueue_hooks
from pbem.web.filters import _, ngettext
from pbem.web.responses import me, private, to_sign_in
from pbem.web.table import forms

blueprint = Blueprint("integrations", __name__)


# ---- API tokens ---------------------------------------------------------------------------------

LONGEST_NAME = 60


@blueprint.get("/account/tokens")
def tokens() -> Response:
    """Show the person's tokens, without their secrets."""
    person = context.person()
    return to_sign_in() if person is None else private(tokens_page(person))


def tokens_page(person: Person, *, token: str = "", wrong: str = "") -> str:
    found = api_tokens.of_person(context.reading(), person)
    return render_template("account/tokens.html", tokens=found, days=api_tokens.DAYS,
                           now=context.service().clock.now(),
                           site=context.service().settings.base_url, token=token, wrong=wrong)


@blueprint.post("/account/tokens")
def make_token() -> Response:
    """Create a token; only this answer shows its secret. Raises 400 for values not in the form."""
    person = context.person()
    if person is None:
        return to_sign_in()
    name = " ".join(request.form.get("name", "").split())[:LONGEST_NAME]
    scopes = ["read", *(["play"] if "play" in request.form else [])]
    days = forms.whole_number(request.form.get("days"), least=1, most=365)
    if days not in api_tokens.DAYS or not name.isprintable():
        abort(400)
    if not name:
        return private(tokens_page(person, wrong=_("Give it a name, to know it again.")), 400)
    writing = context.writing()
    try:
        token = api_tokens.make(writing, me(writing), name=name, scopes=scopes, days=days,
                                now=context.service().clock.now())
    except api_tokens.TooManyTokens:
        writing.rollback()
        many = ngettext("You have %(num)s token already; revoke one first.",
                        "You have %(num)s tokens already; revoke one first.", api_tokens.MOST)
        return private(tokens_page(person, wrong=many), 400)
    writing.commit()
    return private(tokens_page(person, token=token), 201)


@blueprint.post("/account/tokens/<int:number>/revoke")
def revoke_token(number: int) -> Response:
    """Revoke one of the person's tokens."""
    if context.person() is None:
        return to_sign_in()
    writing = context.writing()
    api_tokens.revoke(writing, me(writing), number)
    writing.commit()
    flash(_("The token is revoked."))
    return redirect(url_for("integrations.tokens"), 303)


# ---- web hooks ----------------------------------------------------------------------------------


@blueprint.get("/account/hooks")
def hooks() -> Response:
    """Show the person's hooks and the results of their calls."""
    person = context.person()
    if person is None:
        return to_sign_in()
    hook = forms.whole_number(request.args.get("hook"), least=1, most=10**9)
    return private(hooks_page(person, of=hook, challenge=request.args.get("challenge", "")[:60]))


def hooks_page(
    person: Person, *, given: str = "", wrong: str = "", of: int | None = None, challenge: str = ""
) -> str:
    reading = context.reading()
    found = [
        (hook, web_hooks.newest_calls(reading, hook))
        for hook in web_hooks.of_person(reading, person)
    ]
    return render_template("account/hooks.html", hooks=found, call_said=call_said,
                           hooks_said=hooks_said, most_failures=deliver.MOST_FAILURES,
                           given=given, wrong=wrong, of=of, challenge=challenge)


def call_said(call: HookCall) -> str:
    """Word the result of a call."""
    text = hooks_said(call.last_text or "")
    if call.last_code is not None:
        text = f"{call.last_code} {text}".strip()
    if call.settled is None:
        return (_("is tried again: %(why)s", why=text) if text else _("due"))
    return text


def hooks_said(text: str) -> str:
    """Translate a stored result if it is one of ours; a server's own words stay as they are."""
    said = {
        deliver.UNTRUE: _("no longer true, so not sent"),
        deliver.UNCONFIRMED: _("answered, but not with the challenge"),
        "no_address": _("its name has no address"),
        "not_public": _("it leads to an address that is not public"),
        "timed out": _("no answer in time"),
    }
    return said.get(text, text)


@blueprint.post("/account/hooks")
def add_hook() -> Response:
    """Add a hook; its address is sent a challenge first."""
    person = context.person()
    if person is None:
        return to_sign_in()
    service, writing = context.service(), context.writing()
    given = request.form.get("url", "").strip()
    try:
        web_hooks.add(writing, me(writing), given, service.clock.now(),
                 to_loopback=service.settings.hooks_to_loopback)
    except (BadUrl, web_hooks.TooManyHooks) as bad:
        writing.rollback()
        return private(hooks_page(person, given=given, wrong=why_bad_url(bad)), 400)
    writing.commit()
    enqueue_hooks()
    flash(_("A call that asks for confirmation is on its way there."))
    return redirect(url_for("integrations.hooks"), 303)


def why_bad_url(bad: BadUrl | web_hooks.TooManyHooks) -> str:
    """Word what is wrong with an address."""
    if isinstance(bad, web_hooks.TooManyHooks):
        return ngettext("You have %(num)s web hook already; remove one first.",
                        "You have %(num)s web hooks already; remove one first.", web_hooks.MOST)
    if bad.key == "not_https":
        return _("It has to begin with https://")
    if bad.key == "port":
        return _("Its port has to be 443, or 1024 and above.")
    return _("This is no address that calls can be sent to.")


@blueprint.post("/account/hooks/<int:number>/confirm")
def confirm_hook(number: int) -> Response:
    """Confirm a hook with the challenge that its owner pasted; raises 404 for others' hooks."""
    if context.person() is None:
        return to_sign_in()
    service, writing = context.service(), context.writing()
    hook = web_hooks.own(writing, me(writing), number) or abort(404)
    is_it = web_hooks.confirm(writing, service.settings.keys, hook,
                         request.form.get("challenge", ""), service.clock.now())
    writing.commit()
    if is_it:
        flash(_("The web hook is confirmed: it is called at each of your turns."))
    else:
        flash(_("This is not the challenge that was sent there."), "refused")
    return redirect(url_for("integrations.hooks"), 303)


@blueprint.post("/account/hooks/<int:number>/again")
def ask_again(number: int) -> Response:
    """Send a hook its challenge again; it stays off until confirmed.

    Raises 404 for others' hooks.
    """
    person = context.person()
    if person is None:
        return to_sign_in()
    writing = context.writing()
    hook = web_hooks.own(writing, me(writing), number) or abort(404)
    web_hooks.ask(writing, hook, context.service().clock.now())
    writing.commit()
    enqueue_hooks()
    flash(_("A call that asks for confirmation is on its way there."))
    return redirect(url_for("integrations.hooks"), 303)


@blueprint.post("/account/hooks/<int:number>/remove")
def remove_hook(number: int) -> Response:
    """Remove a hook; raises 404 for others' hooks."""
    if context.person() is None:
        return to_sign_in()
    writing = context.writing()
    hook = web_hooks.own(writing, me(writing), number) or abort(404)
    web_hooks.remove(writing, hook)
    writing.commit()
    flash(_("The web hook is removed."))
    return redirect(url_for("integrations.hooks"), 303)
