"""Writes settings with their defaults and their comments as the text of a ``config.yaml``."""

import ast
import dataclasses
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from typing import get_type_hints

import yaml

from belvedere.setting_ranges import shown_range

WIDTH = 118
# Lines are not broken here.
_UNBROKEN = "\N{NO-BREAK SPACE}"


def config_text(settings: object, *, heading: str) -> str:
    """Return YAML that lists every field of ``settings`` (nested frozen dataclasses), each under its one comment."""
    lines = [*_comment(heading, ""), ""]
    for field in dataclasses.fields(settings):  # type: ignore[arg-type]  # every section is a dataclass
        lines += _field_lines(settings, field.name, indent="")
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def field_comments(section: type) -> dict[str, str]:
    """Return field -> the text that stands under it in the source of the dataclass, on one line.

    A nested section without such a text is described by the first sentence of its own docstring.
    """
    tree = ast.parse(textwrap.dedent(inspect.getsource(section)))
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    comments = {}
    for statement, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            comments[statement.target.id] = _docstring_of(following)
    return comments


def _docstring_of(statement: ast.stmt | None) -> str:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Constant):
        return ""
    return " ".join(str(statement.value.value).replace("``", "`").split())


def _field_lines(settings: object, name: str, *, indent: str) -> Iterator[str]:
    value = getattr(settings, name)
    comment = field_comments(type(settings))[name]
    if not dataclasses.is_dataclass(value):
        allowed = shown_range(get_type_hints(type(settings), include_extras=True)[name])
        yield from _comment(f"{comment} [{allowed.replace(' ', _UNBROKEN)}]" if allowed else comment, indent)
        yield f"{indent}{name}: {_scalar(value)}"
        return
    yield from _comment(comment or _first_sentence(type(value)), indent)
    yield f"{indent}{name}:"
    for field in dataclasses.fields(value):
        yield from _field_lines(value, field.name, indent=indent + "  ")


def _first_sentence(section: type) -> str:
    return " ".join((section.__doc__ or "").split("\n\n")[0].split())


def _comment(text: str, indent: str) -> list[str]:
    width = WIDTH - len(indent) - 2
    lines = textwrap.wrap(text, width, break_long_words=False)
    return [f"{indent}# {line.replace(_UNBROKEN, ' ')}" for line in lines]


def _scalar(value: object) -> str:
    """Return one value as YAML on one line."""
    plain = list(value) if isinstance(value, tuple) else value
    if isinstance(plain, Mapping):
        plain = {name: dataclasses.asdict(item) for name, item in plain.items()}
    if isinstance(plain, str | int | float | bool | list | dict) or plain is None:
        text = yaml.safe_dump(plain, default_flow_style=True, width=10_000)
        return text.removesuffix("\n").removesuffix("\n...")
    return yaml.safe_dump(str(plain), width=10_000).removesuffix("\n").removesuffix("\n...")
