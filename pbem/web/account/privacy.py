"""What is kept about people and for how long; what is kept about oneself, as a file."""

from __future__ import annotations

import json

from flask import Blueprint, render_template
from werkzeug.wrappers import Response

from pbem.privacy.own_data import own_data
from pbem.web import context
from pbem.web.responses import private, to_sign_in

blueprint = Blueprint("privacy", __name__)


@blueprint.get("/privacy")
def privacy() -> str:
    """What is kept, what others see, and how to take it along or have it erased."""
    return render_template(
        "privacy/privacy.html", days=context.service().settings.raw_mail_days)


@blueprint.get("/account/export")
def export() -> Response:
    """All that is kept about whoever asks, as JSON."""
    person = context.person()
    if person is None:
        return to_sign_in()
    told = own_data(context.reading(), person, context.service().clock.now())
    answer = private(json.dumps(told, ensure_ascii=False, indent=1))
    answer.headers["Content-Type"] = "application/json"
    answer.headers["Content-Disposition"] = 'attachment; filename="carreira-own-data.json"'
    return answer
