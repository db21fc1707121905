"""Reads a YAML text into frozen settings dataclasses, checking every key and every value.

The machinery knows no setting by name: fields, types and defaults are those of the dataclasses, and a section that the
text leaves out keeps its defaults. Every complaint is one sentence that names the place.
"""

import dataclasses
import difflib
import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import yaml
from yaml.constructor import SafeConstructor

from belvedere.errors import UserMistake
from belvedere.setting_ranges import base_type, complaint, is_within

S = TypeVar("S")


class ConfigError(UserMistake):
    """A configuration that cannot be used; the message is one sentence with the file, the line and what to do."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the configuration a value stands: the file, and the dotted path of its key."""

    source: str
    path: tuple[str, ...] = ()

    def below(self, key: str) -> "Place":
        """Return the place of ``key`` within this one."""
        return Place(self.source, (*self.path, key))

    def complain(self, node: yaml.Node, problem: str) -> ConfigError:
        """Return the error that ``problem`` was found at ``node``."""
        key = f"{'.'.join(self.path)}: " if self.path else ""
        return ConfigError(f"{self.source}, line {node.start_mark.line + 1}: {key}{problem}")


def read_config(path: Path, settings_type: type[S]) -> S:
    """Read the file at ``path``; raise ConfigError where it cannot be read or says something that no setting means."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path}: not a text file in UTF-8 (byte {error.start}); write the settings as YAML"
        ) from None
    except OSError as error:
        raise ConfigError(f"cannot read the configuration {str(path)!r}: {error.strerror}") from None
    return parse_config(text, settings_type, source=str(path))


def parse_config(text: str, settings_type: type[S], *, source: str) -> S:
    """Read ``text`` (YAML) into ``settings_type``; ``source`` is named in complaints."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark is not None else ""
        raise ConfigError(f"{source}{line}: not valid YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{source}: not valid YAML: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise ConfigError(f"{source}: nested too deeply; settings stand in sections, two or three deep") from None
    if node is None:
        return settings_type()
    return _read_section(node, settings_type, Place(source))


def _read_section(node: yaml.Node, section_type: type[S], place: Place) -> S:
    """Read a mapping into a dataclass; a section without content keeps its defaults."""
    if _is_null(node):
        return section_type()
    if not isinstance(node, yaml.MappingNode):
        raise place.complain(node, f"expected settings by name, got {_shown(node)}")
    annotations = get_type_hints(section_type, include_extras=True)
    known = [field.name for field in dataclasses.fields(section_type) if field.init]  # type: ignore[arg-type]  # every section is a dataclass
    values: dict[str, object] = {}
    for key_node, value_node in node.value:
        key = str(key_node.value)
        if key not in known:
            raise place.complain(key_node, f"unknown key {key!r}{_suggestion(key, known)}")
        if key in values:
            raise place.complain(key_node, f"the key {key!r} stands twice")
        values[key] = _read_value(value_node, annotations[key], place.below(key))
    try:
        return section_type(**values)
    except ValueError as error:
        raise place.complain(node, str(error)) from None


def _suggestion(key: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    return f" (did you mean {near[0]!r}?)" if near else f" (known: {', '.join(known)})"


def _read_value(node: yaml.Node, wanted: Any, place: Place) -> object:  # noqa: ANN401  # a type annotation, of any form
    """Read one value as the annotation ``wanted`` asks, within its range."""
    value = _read_unbounded(node, base_type(wanted), place)
    if not is_within(value, wanted):
        raise place.complain(node, complaint(value, wanted))
    return value


def _read_unbounded(node: yaml.Node, wanted: Any, place: Place) -> object:  # noqa: ANN401  # as above
    if dataclasses.is_dataclass(wanted) and isinstance(wanted, type):
        return _read_section(node, wanted, place)
    origin = get_origin(wanted)
    if origin in (Union, types.UnionType):
        return _read_union(node, wanted, place)
    if origin is Mapping:
        return _read_mapping(node, wanted, place)
    if origin is tuple:
        return _read_tuple(node, wanted, place)
    if origin is Literal:
        return _read_choice(node, get_args(wanted), place)
    return _read_scalar(node, wanted, place)


def _read_union(node: yaml.Node, wanted: Any, place: Place) -> object:  # noqa: ANN401  # as above
    members = [member for member in get_args(wanted) if member is not types.NoneType]
    if _is_null(node) and len(members) < len(get_args(wanted)):
        return None
    if len(members) == 1:
        return _read_value(node, members[0], place)
    if not set(members) <= {bool, str}:
        raise TypeError(f"a setting of the type {wanted} cannot be read: use one type, bool or str, or None")
    value = _plain(node, place)
    if type(value) in members:
        return value
    raise place.complain(node, f"expected {' or '.join(_NAMES[member] for member in members)}, got {_shown(node)}")


def _read_mapping(node: yaml.Node, wanted: Any, place: Place) -> dict[str, object]:  # noqa: ANN401  # as above
    """Read names, which the text chooses, each with a value of one type."""
    key_type, member = get_args(wanted)
    if key_type is not str:
        raise TypeError(f"a setting of the type {wanted} cannot be read: write Mapping[str, {member}]")
    if _is_null(node):
        return {}
    if not isinstance(node, yaml.MappingNode):
        raise place.complain(node, f"expected values by name, got {_shown(node)}")
    values: dict[str, object] = {}
    for key_node, value_node in node.value:
        key = str(key_node.value)
        if key in values:
            raise place.complain(key_node, f"the key {key!r} stands twice")
        values[key] = _read_value(value_node, member, place.below(key))
    return values


def _read_tuple(node: yaml.Node, wanted: Any, place: Place) -> tuple[object, ...]:  # noqa: ANN401  # as above
    member, *rest = get_args(wanted)
    if rest != [...]:
        raise TypeError(f"a setting of the type {wanted} cannot be read: write tuple[{member}, ...]")
    if not isinstance(node, yaml.SequenceNode):
        raise place.complain(node, f"expected a list, got {_shown(node)}")
    return tuple(_read_value(item, member, place) for item in node.value)


def _read_choice(node: yaml.Node, choices: Sequence[object], place: Place) -> object:
    value = _plain(node, place)
    for choice in choices:
        if choice == value and isinstance(value, type(choice)):
            return choice
    raise place.complain(node, f"{_shown(node)} is not one of {', '.join(map(str, choices))}")


_NAMES: Mapping[type, str] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "a text",
    Path: "a path",
}


def _read_scalar(node: yaml.Node, wanted: Any, place: Place) -> object:  # noqa: ANN401  # as above
    if wanted not in _NAMES:
        raise TypeError(f"a setting of the type {wanted} cannot be read")
    value = _plain(node, place)
    if wanted is float:
        number = _as_number(value)
        if number is not None:
            return number
    elif wanted is Path and isinstance(value, str):
        return Path(value).expanduser()
    elif type(value) is wanted:
        return value
    raise place.complain(node, f"expected {_NAMES[wanted]}, got {_shown(node)}")


def _as_number(value: object) -> float | None:
    """Return a finite number; YAML 1.1 takes 1e-3 for a text, which is a number to everybody else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _plain(node: yaml.Node, place: Place) -> object:
    """Return the Python value of a scalar node."""
    if not isinstance(node, yaml.ScalarNode):
        raise place.complain(node, f"expected one value, got {_shown(node)}")
    try:
        value: object = SafeConstructor().construct_document(node)
        return value
    except (ValueError, yaml.YAMLError):
        raise place.complain(node, f"cannot read the value {node.value!r}") from None


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _shown(node: yaml.Node) -> str:
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    return repr(node.value) if isinstance(node, yaml.ScalarNode) else "settings by name"
