"""Being away: announced and ended on the account page."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, request
from flask import url_for as url
from werkzeug.wrappers import Response

from pbem.games import vacation as holidays
from pbem.games.refusals import TableRefused
from pbem.web import current, forms
from pbem.web.answers import me, to_sign_in
from pbem.web.filters import _, moment

blueprint = Blueprint("vacation", __name__)


@blueprint.post("/account/vacation")
def vacation() -> Response:
    """Be away for some days from now on, or be back."""
    person = current.person()
    if person is None:
        return to_sign_in()
    here = redirect(url("account.account", _anchor="h-away"), 303)
    days = forms.whole_number(request.form.get("days"), least=0, most=999)
    writing = current.writing()
    try:
        until = holidays.announce(
            writing, me(writing), -1 if days is None else days, current.service().clock.now())
    except TableRefused as refused:
        writing.rollback()
        flash(refused.said(current.language()), "refused")
        return here
    writing.commit()
    if until is None:
        flash(_("Your vacation is over."))
    else:
        flash(_("The others at your tables read that you are away until %(when)s.",
                when=moment(until)))
    return here
