"""Templates say `_("...")` in the reader's language: each is compiled once a language.

A text without figures is then a part of the page's own text, and one with figures costs no more
than showing these. `call` is what templates do most; here it looks less around itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, cast

from flask import Flask, templating
from jinja2 import Template, nodes
from jinja2.runtime import Context, Macro
from jinja2.visitor import NodeTransformer
from markupsafe import Markup

from pbem import words
from pbem.web import current

FIGURE = re.compile(r"%(?:\((\w+)\)s|%)")
PLAIN = (FunctionType, MethodType, BuiltinFunctionType, partial)


class Said(NodeTransformer):
    """Puts a language's texts in the place of the calls that ask for them."""

    def __init__(self, language: str) -> None:
        self.translations = words.translations(language)

    def visit_Call(self, node: nodes.Call) -> nodes.Expr:  # noqa: N802  # Jinja looks for it
        """The text, or the text with its figures."""
        self.generic_visit(node)
        text = self.text_of(node)
        if text is None:
            return node
        said = Markup(text)  # noqa: S704  # ours, as Jinja's own gettext takes it  # nosec B704
        if not node.kwargs:
            return nodes.Const(said % {})
        figures = [nodes.Pair(nodes.Const(each.key), each.value) for each in node.kwargs]
        return nodes.Mod(nodes.Const(said), nodes.Dict(figures))

    def visit_Output(self, node: nodes.Output) -> nodes.Output:  # noqa: N802  # and it
        """Texts that are shown as they are: their figures between their parts."""
        shown: list[nodes.Expr] = []
        for child in node.nodes:
            parts = self.parts_of(child)
            shown += [child] if parts is None else parts
        node.nodes = shown
        return cast("nodes.Output", self.generic_visit(node))

    def parts_of(self, child: nodes.Expr) -> list[nodes.Expr] | None:
        """A text's parts and figures; None for all that is no text with each figure once."""
        text = self.text_of(child)
        if text is None or FIGURE.sub("", text).count("%"):
            return None
        named = [match[1] for match in FIGURE.finditer(text) if match[1]]
        values = {each.key: each.value for each in cast("nodes.Call", child).kwargs}
        if len({*named}) < len(named) or not values.keys() >= {*named}:
            return None
        return list(self.alternating(text, values))

    def alternating(self, text: str, values: dict[str, nodes.Expr]) -> Iterator[nodes.Expr]:
        """Text and figures in turn."""
        end = 0
        for match in FIGURE.finditer(text):
            yield nodes.TemplateData(text[end:match.start()])
            yield values[match[1]] if match[1] else nodes.TemplateData("%")
            end = match.end()
        yield nodes.TemplateData(text[end:])

    def text_of(self, node: nodes.Node) -> str | None:
        """What a call of `_` with a constant says in this language."""
        if not isinstance(node, nodes.Call) or not isinstance(node.node, nodes.Name):
            return None
        if node.node.name != "_" or len(node.args) != 1 or node.dyn_args or node.dyn_kwargs:
            return None
        text = node.args[0]
        if not isinstance(text, nodes.Const) or not isinstance(text.value, str):
            return None
        return self.translations.gettext(text.value)


class Frame(Context):
    """What a template knows while it is rendered."""

    def call(__self, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805  # as Jinja's
        """Call what a template calls: nearly all wants nothing but its arguments."""
        kind = __obj.__class__
        if kind is Macro:
            args = (__self.eval_ctx, *args)
        elif kind not in PLAIN or hasattr(__obj, "jinja_pass_arg"):
            return super().call(__obj, *args, **kwargs)
        kwargs.pop("_loop_vars", None)
        kwargs.pop("_block_vars", None)
        return __obj(*args, **kwargs)


class Environment(templating.Environment):
    """Flask's own, with one of each language beneath it."""

    context_class = Frame

    def __init__(self, app: Flask, **options: Any) -> None:
        super().__init__(app, **options)
        self.language = ""
        self.spoken: dict[str, Environment] = {}

    def get_template(self, name: Any, parent: str | None = None,
                     globals: MutableMapping[str, Any] | None = None) -> Template:  # noqa: A002  # as Jinja's
        """The template as the reader of this request reads it."""
        if self.language:
            return super().get_template(name, parent, globals)
        return self.speaking(current.language()).get_template(name, parent, globals)

    def speaking(self, language: str) -> Environment:
        """The one whose templates speak a language."""
        spoken = self.spoken.get(language)
        if spoken is None:
            made = self.overlay()
            made.language = language
            # Of two threads that come here at once the second takes what the first has made.
            spoken = self.spoken.setdefault(language, made)
        return spoken

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """What all templates know, which stands when the first is read, in one dictionary."""
        return {**self.globals, **(d or {})}

    def _generate(self, source: nodes.Template, name: str | None, filename: str | None,
                  defer_init: bool = False) -> str:  # noqa: FBT001  # as Jinja's
        """The hook between reading a template and writing its program."""
        escapes = self.autoescape(name) if callable(self.autoescape) else self.autoescape
        if self.language and escapes:
            source = Said(self.language).visit(source)
            source.set_environment(self)
        return super()._generate(source, name, filename, defer_init)


def bind(app: Flask) -> None:
    """Templates say `_("...")` and `ngettext(...)` in the reader's language."""
    app.jinja_environment = Environment  # type: ignore[assignment]
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]
        lambda text: words.translations(current.language()).gettext(text),
        lambda one, many, n: words.translations(current.language()).ngettext(one, many, n),
        newstyle=True,
    )
