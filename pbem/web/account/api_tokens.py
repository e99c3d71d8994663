"""The page of one's own API tokens: made, shown once, revoked."""

from __future__ import annotations

from flask import Blueprint, abort, flash, redirect, render_template, request
from flask import url_for as url
from werkzeug.wrappers import Response

from pbem.accounts import api_tokens
from pbem.models import Person
from pbem.web import context
from pbem.web.filters import _, ngettext
from pbem.web.responses import me, private, to_sign_in
from pbem.web.table import forms

blueprint = Blueprint("api_tokens", __name__)
LONGEST_NAME = 60


@blueprint.get("/account/tokens")
def tokens() -> Response:
    """The own tokens, without their secrets."""
    person = context.person()
    return to_sign_in() if person is None else private(page(person))


def page(person: Person, *, token: str = "", wrong: str = "") -> str:
    found = api_tokens.of_person(context.reading(), person)
    return render_template("account/tokens.html", tokens=found, days=api_tokens.DAYS,
                           now=context.service().clock.now(),
                           site=context.service().settings.base_url, token=token, wrong=wrong)


@blueprint.post("/account/tokens")
def make() -> Response:
    """A new token, shown on this answer and never again."""
    person = context.person()
    if person is None:
        return to_sign_in()
    name = " ".join(request.form.get("name", "").split())[:LONGEST_NAME]
    scopes = ["read", *(["play"] if "play" in request.form else [])]
    days = forms.whole_number(request.form.get("days"), least=1, most=365)
    if days not in api_tokens.DAYS or not name.isprintable():
        abort(400)
    if not name:
        return private(page(person, wrong=_("Give it a name, to know it again.")), 400)
    writing = context.writing()
    try:
        token = api_tokens.make(writing, me(writing), name=name, scopes=scopes, days=days,
                                now=context.service().clock.now())
    except api_tokens.TooManyTokens:
        writing.rollback()
        many = ngettext("You have %(num)s token already; revoke one first.",
                        "You have %(num)s tokens already; revoke one first.", api_tokens.MOST)
        return private(page(person, wrong=many), 400)
    writing.commit()
    return private(page(person, token=token), 201)


@blueprint.post("/account/tokens/<int:number>/revoke")
def revoke(number: int) -> Response:
    """End one of the own tokens."""
    if context.person() is None:
        return to_sign_in()
    writing = context.writing()
    api_tokens.revoke(writing, me(writing), number)
    writing.commit()
    flash(_("The token is revoked."))
    return redirect(url("api_tokens.tokens"), 303)
