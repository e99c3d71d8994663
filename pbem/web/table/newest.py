"""Answers what is newest at a table, for pages that wait; much smaller than the page itself."""

from __future__ import annotations

from flask import Blueprint, jsonify, request
from sqlalchemy import func
from sqlmodel import col, select
from werkzeug.wrappers import Response

from pbem.models import Chat, Game, SeatRow, Submission, SubmissionState, Vote
from pbem.tables import chat
from pbem.web import context, filters
from pbem.web.access import own_seat, visible

blueprint = Blueprint("newest", __name__)


@blueprint.get("/games/<int:game_id>/newest")
def newest(game_id: int) -> Response:
    """Return the table's version for this reader and how many games wait for them, as JSON.

    It is a 304 if the reader knows it. Raises 404 like the page.
    """
    row, own = own_seat(game_id) or (visible(game_id), None)
    answer = jsonify(version=version_of(row, own), waiting=filters.games_waiting())
    answer.headers["Cache-Control"] = "private, no-cache"
    answer.headers["Vary"] = "Cookie"
    answer.add_etag()
    return answer.make_conditional(request)


def version_of(row: Game, own: SeatRow | None) -> str:
    """Return a text that differs when the reader's page shows something new.

    It holds the newest entry, the newest line of the talk that they may read, their orders that
    wait to be played, and how many votes were cast.
    """
    said = select(func.max(Chat.id)).where(*chat.readable(row, own)).scalar_subquery()
    cast = select(func.count()).select_from(Vote).where(Vote.game_id == row.id).scalar_subquery()
    seat = None if own is None else own.number
    pending = select(func.count()).select_from(Submission).where(
        Submission.game_id == row.id, col(Submission.seat) == seat,
        Submission.state == SubmissionState.PENDING).scalar_subquery()
    found = context.reading().exec(select(said, pending, cast)).one()
    return "-".join(str(each or 0) for each in (row.last_entry, row.state, *found))
