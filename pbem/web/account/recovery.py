"""An account that gets another address: its letters' pages, and the notice to who is signed in."""

from __future__ import annotations

from typing import cast

from flask import Blueprint, abort, flash, g, redirect, render_template, request
from werkzeug.wrappers import Response

from pbem.accounts import recovery_links
from pbem.models import Person, stored_id
from pbem.models.operators import Recovery
from pbem.operators import recovery
from pbem.web import context
from pbem.web.filters import _
from pbem.web.responses import me, private, to_sign_in

blueprint = Blueprint("recovery", __name__)


@blueprint.get("/recovery/<token>")
def page(token: str) -> Response:
    """What the letter's link does, and a button; looking changes nothing (scanners look too)."""
    found, purpose = known(token)
    now = context.service().clock.now()
    name = context.reading().get_one(Person, found.person_id).name
    answer = private(render_template(
        "operator/recovery.html", token=token, purpose=purpose, found=found, name=name,
        is_open=recovery.is_open(found, now), is_due=found.due <= now))
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


@blueprint.post("/recovery/<token>")
def use(token: str) -> Response:
    """Confirm, or stop."""
    found, purpose = known(token)
    writing, now = context.writing(), context.service().clock.now()
    act = recovery.confirm if purpose == "confirm" else recovery.stop
    done = act(writing, stored_id(found), now)
    writing.commit()
    if not done:
        flash(_("This comes too late: nothing was changed."), "refused")
    return redirect(request.path, 303)


def known(token: str) -> tuple[Recovery, recovery_links.Purpose]:
    """The recovery of a link and what the link is for, or 404."""
    found = recovery_links.by_token(context.reading(), context.service().settings.keys, token)
    if found is None:
        abort(404)
    return found


# ---- who is signed in ---------------------------------------------------------------------------


@blueprint.app_template_global("own_recovery")
def own() -> Recovery | None:
    """The reader's recovery that may still come to something; for the head of every page."""
    person = context.person()
    if person is None:
        return None
    if "own_recovery" not in g:
        g.own_recovery = recovery.open_of(
            context.reading(), person, context.service().clock.now())
    return cast("Recovery | None", g.own_recovery)


@blueprint.post("/account/recovery/stop")
def stop_own() -> Response:
    """Let one's own account keep its address."""
    if context.person() is None:
        return to_sign_in()
    writing, now = context.writing(), context.service().clock.now()
    found = recovery.open_of(writing, me(writing), now)
    done = found is not None and recovery.stop(writing, stored_id(found), now)
    writing.commit()
    if done:
        flash(_("This was stopped: the account keeps its address."))
    else:
        flash(_("This comes too late: nothing was changed."), "refused")
    return redirect("/account", 303)
