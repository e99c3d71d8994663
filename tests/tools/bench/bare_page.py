"""The floor of pages: a bare Flask app with one Jinja template, as long as it is asked for."""

from __future__ import annotations

from flask import Flask, render_template_string, request

PAGE = """<!DOCTYPE html><html lang="en"><head><title>{{ title }}</title></head><body><ul>
{% for row in rows %}<li class="s-{{ row.seat }}"><a href="/games/1/{{ row.number }}">{{ row.text }}</a></li>
{% endfor %}</ul></body></html>
"""  # noqa: E501  # as a template of a page would have it
TEXT = "Ana places 3 in navigation & pays"
ROW = 82  # bytes of a line


def create_app() -> Flask:
    """One route; `bytes` is about how long its page is."""
    flask = Flask("bench")

    @flask.get("/bare")
    def bare() -> str:
        rows = [{"seat": number % 4, "number": number, "text": TEXT}
                for number in range(int(request.args["bytes"]) // ROW)]
        return render_template_string(PAGE, title="Bench", rows=rows)

    return flask
