"""A visitor with a browser without script: cookies, links, forms and their hidden fields."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.client import HTTPConnection, HTTPResponse
from http.cookies import SimpleCookie
from urllib.parse import urlencode, urljoin, urlsplit


@dataclass
class Form:
    """A form of a page: where it goes, and what it would send as it stands."""

    action: str
    method: str = "get"
    fields: dict[str, str] = field(default_factory=dict)


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._open = False
        self._select: str | None = None
        self._textarea: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append(Form(given.get("action", ""), given.get("method", "get").lower()))
            self._open = True
        elif self._open and tag == "input" and "name" in given:
            kind = given.get("type", "text")
            if kind not in ("radio", "checkbox", "submit") or "checked" in given:
                self.found[-1].fields[given["name"]] = given.get("value", "")
        elif self._open and tag == "select" and "name" in given:
            self._select = given["name"]
        elif self._select and tag == "option":
            fields = self.found[-1].fields
            if "selected" in given or self._select not in fields:
                fields[self._select] = given.get("value", "")
        elif self._open and tag == "textarea" and "name" in given:
            self._textarea = given["name"]
            self.found[-1].fields[self._textarea] = ""

    def handle_data(self, data: str) -> None:
        if self._textarea:
            self.found[-1].fields[self._textarea] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = False
        elif tag == "select":
            self._select = None
        elif tag == "textarea":
            self._textarea = None


@dataclass
class Page:
    """What came back in the end: redirects are followed."""

    url: str
    status: int
    text: str

    def form(self, action: str) -> Form:
        """The form whose action ends so."""
        parser = _Forms()
        parser.feed(self.text)
        for form in parser.found:
            if form.action.split("?")[0].endswith(action):
                return form
        actions = [form.action for form in parser.found]
        raise AssertionError(f"{self.url} ({self.status}) has no form {action!r}, only {actions}")


class Visitor:
    """One person's browser."""

    def __init__(self, base: str) -> None:
        self.base = base.rstrip("/")
        self._cookies: dict[str, str] = {}

    def get(self, path: str) -> Page:
        """Open an address of the site."""
        return self._ask("GET", path, None)

    def submit(self, page: Page, form: Form, **values: str) -> Page:
        """Fill in a form and send it."""
        target = urljoin(page.url, form.action) if form.action else page.url
        body = urlencode(form.fields | values)
        if form.method == "get":
            return self._ask("GET", f"{target}?{body}", None)
        return self._ask("POST", target, body)

    def _ask(self, method: str, target: str, body: str | None) -> Page:
        url = urljoin(self.base + "/", target)
        for _ in range(8):
            answer, text = self._exchange(method, url, body)
            place = answer.headers.get("Location")
            if answer.status not in (301, 302, 303, 307) or place is None:
                return Page(url, answer.status, text)
            url, method, body = urljoin(url, place), "GET", None
        raise AssertionError(f"{target} redirects in a circle")

    def connection(self, host: str, port: int | None) -> HTTPConnection:
        """A line to the site."""
        return HTTPConnection(host, port, timeout=60)

    def _exchange(self, method: str, url: str, body: str | None) -> tuple[HTTPResponse, str]:
        parts = urlsplit(url)
        connection = self.connection(parts.hostname or "", parts.port)
        headers = {"Cookie": "; ".join(f"{name}={v}" for name, v in self._cookies.items())}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            headers["Referer"] = url
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request(method, path or "/", body, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        for line in answer.headers.get_all("Set-Cookie") or ():
            for name, morsel in SimpleCookie(line).items():
                self._cookies[name] = morsel.value
        connection.close()
        return answer, text
