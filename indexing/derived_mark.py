"""What is written beside a derived layer: the settings and the language models that it was made with.

A mark is the fingerprint of the settings, then one part for each task that a model did, then a word where a model
failed at something that the next run is to try again. Without models it is the fingerprint alone.
"""

from indexing.identity import UNFINISHED, settings_fingerprint
from indexing.model_names import ModelNames
from indexing.settings import IndexingSettings
from raptor.told_summary import PROMPT


def derived_mark(settings: IndexingSettings, models: ModelNames, *, finished: bool = True) -> str:
    """Return the mark of a layer that is made now."""
    parts = [settings.derived_fingerprint(), reports_part(models), summaries_part(models), extraction_part(models)]
    return "".join(part for part in parts if part) + ("" if finished else UNFINISHED)


def settings_part(mark: str | None) -> str | None:
    """Return the fingerprint of the settings in a mark."""
    return None if mark is None else mark.split("+")[0]


def is_finished(mark: str) -> bool:
    """Tell whether no model failed at anything."""
    return not mark.endswith(UNFINISHED)


def has_part(mark: str | None, part: str) -> bool:
    """Tell whether a layer was made with the model that ``part`` names (see ``reports_part``)."""
    return bool(mark and part) and part.removeprefix("+") in str(mark).split("+")


def reports_part(models: ModelNames) -> str:
    """Return the part of a mark for the model of reports and its prompt, empty without one."""
    return f"+r{settings_fingerprint(ModelNames(reports=models.reports + PROMPT))}" if models.reports else ""


def summaries_part(models: ModelNames) -> str:
    """Return the part of a mark for the model of summaries and its prompt, empty without one."""
    return f"+s{settings_fingerprint(ModelNames(summaries=models.summaries + PROMPT))}" if models.summaries else ""


def extraction_part(models: ModelNames) -> str:
    """Return the part of a mark for the model of extraction, empty without one."""
    return f"+e{settings_fingerprint(ModelNames(extraction=models.extraction))}" if models.extraction else ""
