"""The range of a setting, read from its type: ``Annotated[int, Ge(1)]`` allows 1 and more.

A range is written once, at the field; the reader of ``config.yaml``, its comments and ready settings all take it there.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from annotated_types import BaseMetadata, Ge, GroupedMetadata, Gt, Le, Lt


def base_type(annotation: Any) -> Any:  # noqa: ANN401  # a type annotation, of any form
    """Return the type without its range."""
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def shown_range(annotation: Any) -> str:  # noqa: ANN401  # as above
    """Return the range of a type in words, such as ``0 to 1`` or ``more than 0``; empty where there is none."""
    match list(_bounds(annotation)):
        case [Ge(ge=least), Le(le=most)]:
            return f"{least:,} to {most:,}"
        case bounds:
            return " and ".join(_words(bound) for bound in bounds)


def is_within(value: object, annotation: Any) -> bool:  # noqa: ANN401  # as above
    """Tell whether a value lies in the range of its type; what is no number always does."""
    if not isinstance(value, int | float):
        return True
    return all(_holds(value, bound) for bound in _bounds(annotation))


def out_of_range(settings: object, path: str = "") -> Iterator[str]:
    """Yield a sentence for each setting, in all sections, that lies out of its range, with its dotted name."""
    annotations = get_type_hints(type(settings), include_extras=True)
    for field in dataclasses.fields(settings):  # type: ignore[arg-type]  # every section is a dataclass
        value = getattr(settings, field.name)
        name = f"{path}.{field.name}".removeprefix(".")
        if dataclasses.is_dataclass(value):
            yield from out_of_range(value, name)
        elif isinstance(value, Mapping):
            for key, item in value.items():
                yield from out_of_range(item, f"{name}.{key}")
        elif not is_within(value, annotations[field.name]):
            yield f"{name}: {complaint(value, annotations[field.name])}"


def complaint(value: object, annotation: Any) -> str:  # noqa: ANN401  # as above
    """Return what is said of a value out of its range."""
    return f"{value!r} is out of range; give {shown_range(annotation)}"


def _bounds(annotation: Any) -> Iterator[BaseMetadata]:  # noqa: ANN401  # as above
    if get_origin(annotation) is not Annotated:
        return
    for item in get_args(annotation)[1:]:
        for bound in item if isinstance(item, GroupedMetadata) else (item,):
            if isinstance(bound, BaseMetadata):
                yield bound


def _holds(value: float, bound: BaseMetadata) -> bool:
    match bound:
        case Ge(ge=least):
            return bool(value >= least)  # type: ignore[operator]  # the bound of a number is a number
        case Gt(gt=below):
            return bool(value > below)  # type: ignore[operator]  # as above
        case Le(le=most):
            return bool(value <= most)  # type: ignore[operator]  # as above
        case Lt(lt=above):
            return bool(value < above)  # type: ignore[operator]  # as above
    raise TypeError(f"a setting cannot have the bound {bound!r}; use Ge, Gt, Le, Lt or Interval")


def _words(bound: BaseMetadata) -> str:
    match bound:
        case Ge(ge=least):
            return f"{least:,} or more"
        case Gt(gt=below):
            return f"more than {below:,}"
        case Le(le=most):
            return f"at most {most:,}"
        case Lt(lt=above):
            return f"less than {above:,}"
    raise TypeError(f"a setting cannot have the bound {bound!r}; use Ge, Gt, Le, Lt or Interval")
