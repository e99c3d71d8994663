"""Builds the OpenAPI 3.1 description of the JSON API from its routes and message classes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import msgspec
from flask import Flask

from pbem import __version__
from pbem.web.api import types
from pbem.web.api.problems import Problem

REF = "#/components/schemas/{name}"
JSONL = {"application/jsonl": {"schema": {"type": "string"}}}


@dataclass(frozen=True)
class Operation:
    """Describes what one route does. `numbers`: its numeric query parameters with their meaning."""

    summary: str
    scope: str
    answer: Any = None  # None: lines of JSON
    status: int = 200
    body: Any = None
    numbers: tuple[tuple[str, str], ...] = ()
    has_key: bool = False
    refuses: bool = False


OPERATIONS = {
    "games": Operation("Your games, those that wait for you first", "read", types.Games),
    "table": Operation(
        "The table for your eyes", "read", types.TableShown,
        numbers=(("entry", "after this entry; the newest one if it is left out"),)),
    "legal_orders": Operation(
        "Orders that you could send now", "read", types.LegalOrders,
        numbers=(("limit", "how many, 1000 at most; 200 if it is left out"),)),
    "preview": Operation(
        "What orders would do; keeps nothing", "read", types.PreviewShown,
        body=types.SentOrders, refuses=True),
    "send_orders": Operation(
        "Record orders; a worker plays them at once", "play", types.SubmissionShown, status=202,
        body=types.SentOrders, has_key=True, refuses=True),
    "orders_ahead": Operation(
        "Your orders ahead, with what each would do now", "read", types.OrdersAheadShown),
    "order_ahead": Operation(
        "Keep orders ahead, one a line; nothing is asked of your seat for that", "play",
        types.SubmissionShown, status=202, body=types.SentOrders, has_key=True, refuses=True),
    "withdraw_ahead": Operation(
        "Withdraw an order ahead; what stands without it", "play", types.OrdersAheadShown),
    "what_became": Operation("What became of your orders", "read", types.SubmissionShown),
    "history": Operation(
        "What has happened", "read", types.History,
        numbers=(("from", "the first entry"),
                 ("limit", "how many entries, 100 at most; 50 if it is left out"))),
    "record": Operation("The record of a game that is over, as JSON Lines", "read"),
}
TYPES = [Problem, *{each for op in OPERATIONS.values() for each in (op.answer, op.body) if each}]


def description(app: Flask, site: str) -> dict[str, Any]:
    """Return the whole OpenAPI document; `site` is the base URL."""
    refs, components = msgspec.json.schema_components(TYPES, ref_template=REF)
    schemas = dict(zip(TYPES, refs, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule):
        name = rule.endpoint.removeprefix("api.")
        if rule.endpoint.startswith("api.") and name in OPERATIONS:
            path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule.removeprefix("/api/v1"))
            method = next(iter((rule.methods or set()) - {"HEAD", "OPTIONS"})).lower()
            paths.setdefault(path, {})[method] = operation(name, sorted(rule.arguments), schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Carreira", "version": __version__,
                 "description": "Games by mail, for programs. Tokens: /account/tokens."},
        "servers": [{"url": f"{site}/api/v1"}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def operation(name: str, places: list[str], schemas: dict[Any, Any]) -> dict[str, Any]:
    """Return the operation object of one route."""
    it = OPERATIONS[name]
    content = JSONL if it.answer is None else in_json(schemas[it.answer])
    made: dict[str, Any] = {
        "operationId": name,
        "summary": it.summary,
        "description": f"Needs a token with the scope `{it.scope}`.",
        "parameters": [*map(in_path, places), *(in_query(*each) for each in it.numbers)],
        "responses": {str(it.status): {"description": it.summary, "content": content}}
        | failures(it, schemas),
    }
    if it.has_key:
        made["parameters"].append({
            "name": "Idempotency-Key", "in": "header", "required": True,
            "description": "The same key again is the same sending.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 80},
        })
    if it.body is not None:
        made["requestBody"] = {"required": True, "content": in_json(schemas[it.body])}
    return made


def failures(it: Operation, schemas: dict[Any, Any]) -> dict[str, Any]:
    """Return the error responses of a route, each a problem object (RFC 9457)."""
    said = {"400": "Something in the request cannot be read", "401": "No token that counts",
            "403": "The token or its owner may not do that", "404": "There is no such thing",
            "429": "Too many requests"}
    if it.refuses:
        said |= {"409": "The position moved on, or the key stands for other orders",
                 "413": "Too large", "415": "Not JSON", "422": "The orders are refused"}
    content = {"application/problem+json": {"schema": schemas[Problem]}}
    return {code: {"description": text, "content": content} for code, text in said.items()}


def in_json(schema: Any) -> dict[str, Any]:
    """Return a JSON body of this schema."""
    return {"application/json": {"schema": schema}}


def in_path(name: str) -> dict[str, Any]:
    """Return a numeric path parameter."""
    number = {"type": "integer", "minimum": 1, "maximum": 999_999_999}
    return {"name": name, "in": "path", "required": True, "schema": number}


def in_query(name: str, said: str) -> dict[str, Any]:
    """Return a numeric query parameter."""
    return {"name": name, "in": "query", "description": said,
            "schema": {"type": "integer", "minimum": 1}}
