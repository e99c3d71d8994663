"""How templates become programs: each once a language, and with as little as can be to be done.

A text of ours without figures is a part of the template's own text, and so is a word of a game.
What a template calls is called at once: Jinja asks of each whether it wants the context. Jinja
leaves to whoever needs it how programs are written (`code_generator_class`).

Measured: what a turn letter of either game says in its two forms takes 0.3 of the
processor's time that it takes by Jinja's own programs, a page of a table of either game 0.6 at
most.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager, nullcontext
from keyword import iskeyword
from typing import Any, cast

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame, MacroRef, optimizeconst
from jinja2.exceptions import TemplateRuntimeError
from jinja2.runtime import markup_join, missing
from jinja2.visitor import NodeTransformer
from markupsafe import Markup, _escape_inner, escape

from pbem.i18n import words

FIGURE = re.compile(r"%(?:\((\w+)\)s|%)")
OF_A_GAME = re.compile(r"games/([^/]+)/")
PLAIN = frozenset({str, int})  # never HTML already
TERMS = ("t", "term")  # by which a game's templates ask for its words

# ---- while a template is rendered ---------------------------------------------------------------

escaped = _escape_inner  # of a text, in an eighth of the time of `escape`: that makes it a Markup


def shown(value: Any) -> str:
    """A value as HTML shows it."""
    kind = type(value)
    if kind is str:
        return escaped(value)
    if kind is Markup:
        return cast("str", value)
    return str(value) if kind is int else escape(value)


def joined(parts: tuple[Any, ...]) -> str:
    """Parts of a text in one; as Jinja does it where one may be HTML."""
    for part in parts:
        if type(part) not in PLAIN:
            return markup_join(parts)
    return "".join(map(str, parts))


def macro(
    function: Callable[..., str], names: Sequence[str], *, escapes: bool
) -> Callable[..., str]:
    """A macro that takes what it names, mostly all in their places, in a quarter of the time.

    Its text is escaped already where its template escapes.
    """
    count, new = len(names), str.__new__

    def call(*args: Any, **kwargs: Any) -> str:
        if kwargs or len(args) != count:
            args = filled(names, args, kwargs)
        said = function(*args)
        return new(Markup, said) if escapes else said

    return call


def filled(names: Sequence[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """All arguments of a macro in their places."""
    rest = [kwargs.pop(name, missing) for name in names[len(args):]]
    if kwargs or len(args) > len(names):
        # Without the values, which may be a player's secret and would stand in the log.
        given = f"{len(args)} in their places and {', '.join(kwargs) or 'no other'}"
        raise TypeError(f"a macro takes {', '.join(names)}; not {given}")
    return (*args, *rest)


class Turn:
    """Where a loop is."""

    __slots__ = ("first", "index0", "last")
    first: bool
    index0: int
    last: bool

    @property
    def index(self) -> int:
        """The place, counted from 1."""
        return self.index0 + 1

    def __getattr__(self, name: str) -> Any:
        raise TemplateRuntimeError(f"loops know no loop.{name}, but first, index, index0, last")


def turns(items: Iterable[Any], _undefined: Any) -> Iterator[tuple[Any, Turn]]:
    """What a loop goes through, and where it is, in half the time: a letter has sixty loops."""
    several, turn = list(items), Turn()
    turn.first, turn.last = True, False
    last = len(several) - 1
    for place, item in enumerate(several):
        turn.index0 = place
        if place == last:
            turn.last = True
        yield item, turn
        turn.first = False


# ---- when a template is read --------------------------------------------------------------------


class Said(NodeTransformer):
    """Puts a language's texts, and a game's words, in the place of the calls that ask for them."""

    def __init__(self, language: str, name: str | None, *, escapes: bool) -> None:
        self.language = language
        self.escapes = escapes
        self.translations = words.translations(language)
        game = OF_A_GAME.match(name or "")
        self.terms = words.game_words(game[1], language).terms if game else {}

    def visit_Call(self, node: nodes.Call) -> nodes.Expr:  # noqa: N802  # Jinja looks for it
        """The text, or the text with its figures; or the word."""
        self.generic_visit(node)
        word = self.word_of(node)
        if word is not None:
            return nodes.Const(word)
        text = self.text_of(node)
        if text is None:
            return node
        # Ours, as Jinja's own gettext takes it.
        said = Markup(text) if self.escapes else text  # noqa: S704  # nosec B704
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
        text = constant_of(node, ("_",))
        return None if text is None else self.translations.gettext(text)

    def word_of(self, node: nodes.Call) -> str | None:
        """A game's word that takes no number, in its own templates."""
        key = None if node.kwargs else constant_of(node, TERMS)
        word = None if key is None else self.terms.get(key)
        return word if isinstance(word, str) else None


@contextmanager
def unescaped(context: nodes.EvalContext) -> Iterator[None]:
    """Programs within take their texts for what they are, as where no HTML is written."""
    before = context.save()
    context.autoescape = False
    try:
        yield
    finally:
        context.revert(before)


def constant_of(node: nodes.Node, names: Sequence[str]) -> str | None:
    """The only argument of a call of one of these, if it is a text."""
    if not isinstance(node, nodes.Call) or not isinstance(node.node, nodes.Name):
        return None
    if node.node.name not in names or len(node.args) != 1 or node.dyn_args or node.dyn_kwargs:
        return None
    text = node.args[0]
    return text.value if isinstance(text, nodes.Const) and isinstance(text.value, str) else None


class Writer(CodeGenerator):
    """Writes the program of a template that calls what it calls at once."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802
        """The program, and what it needs of this module in the place of Jinja's own."""
        super().visit_Template(node, frame)
        self.writeline("from pbem.compiled import escaped, joined, macro as made, shown")
        self.writeline("from pbem.compiled import turns as LoopContext")

    @optimizeconst
    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802
        """What mostly is an attribute; else whatever Jinja finds by that name.

        All use the same two names: one within another is done with them before that begins.
        """
        self.write("(found if (found := getattr((of := ")
        self.visit(node.node, frame)
        self.write(f"), {node.attr!r}, missing)) is not missing else ")
        self.write(f"environment.getattr(of, {node.attr!r}))")

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802
        """Parts in one; where HTML is written, with a look at whether one is HTML already."""
        if frame.eval_ctx.volatile:
            super().visit_Concat(node, frame)
            return
        escapes = frame.eval_ctx.autoescape
        self.write("joined((" if escapes else "concat((")
        for part in node.nodes:
            is_text = isinstance(part, nodes.Const) and type(part.value) is str
            self.write("" if escapes or is_text else "str(")
            self.visit(part, frame)
            self.write(", " if escapes or is_text else "), ")
        self.write("))")

    @optimizeconst
    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: FBT001,N802
        """A call of what wants nothing but its arguments."""
        keywords = [each.key for each in node.kwargs]
        if node.dyn_args or node.dyn_kwargs or any(map(iskeyword, keywords)) or (
                isinstance(node.node, nodes.Name) and self.wants_context(node.node.name)):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        # The name of a word is not shown: nobody looks for HTML in its parts.
        is_word = isinstance(node.node, nodes.Name) and node.node.name in TERMS
        with unescaped(frame.eval_ctx) if is_word else nullcontext():
            for each in (*node.args, *node.kwargs):
                self.visit(each, frame)
                self.write(", ")
        self.write("caller=caller)" if forward_caller else ")")

    def wants_context(self, name: str) -> bool:
        """Whether a global function is given what the template knows, as Jinja's own gettext is."""
        return hasattr(self.environment.globals.get(name), "jinja_pass_arg")

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        """A macro; one with a caller of its own, or which takes anything, remains Jinja's."""
        if macro_ref.accesses_caller or macro_ref.accesses_kwargs or macro_ref.accesses_varargs:
            super().macro_def(macro_ref, frame)
            return
        names = tuple(each.name for each in macro_ref.node.args)
        self.write(f"made(macro, {names!r}, escapes={frame.eval_ctx.autoescape!r})")

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        """In front of what is shown."""
        if self.is_plain(frame, finalize):
            self.write("(escaped(each) if type(each := ")
        else:
            super()._output_child_pre(node, frame, finalize)

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        """Behind it: text, as it mostly is, is escaped without a call of ours."""
        if self.is_plain(frame, finalize):
            self.write(") is str else shown(each))")
        else:
            super()._output_child_post(node, frame, finalize)

    def is_plain(self, frame: Frame, finalize: Any) -> bool:
        """Whether it is known that what is shown becomes HTML, and nothing else is done to it."""
        return bool(frame.eval_ctx.autoescape) and not frame.eval_ctx.volatile and (
            finalize.src is None)


class Spoken(Environment):
    """An environment of one language."""

    language = ""
    code_generator_class = Writer

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """What all templates know: as it stands, where Jinja lays a map of one's own over it.

        Each context goes through all of it, and that takes a map of maps very long.
        """
        return super().make_globals(d) if d else self.globals

    def _generate(self, source: nodes.Template, name: str | None, filename: str | None,
                  defer_init: bool = False) -> str:  # noqa: FBT001  # as Jinja's
        """The hook between reading a template and writing its program."""
        if self.language:
            escapes = self.autoescape(name) if callable(self.autoescape) else self.autoescape
            source = Said(self.language, name, escapes=escapes).visit(source)
            source.set_environment(self)
        return super()._generate(source, name, filename, defer_init)
