"""Token counts of any span of a text that is tokenised once."""

from bisect import bisect_left, bisect_right

from model_clients.embedder import Embedder, Span

# English has 4 to 5 characters a token. A span with many more is one that the tokenizer gave up on (a word of 10,000
# letters is one unknown token): such spans are cut by characters.
_MOST_CHARACTERS_PER_TOKEN = 10
# How many tokens a cut may be moved to the left to fall between words, as a fraction of the span that is cut.
_WORD_SEARCH = 0.25


class TokenIndex:
    """Counts, finds and cuts by tokens. Each operation takes time logarithmic in the length of the text.

    Counts are those of the whole text's tokenisation. They are exact for a span that is cut at white space where the
    tokenizer never joins words; the final check of :mod:`indexing.chunking.final_check` covers the other cases.
    """

    def __init__(self, text: str, embedder: Embedder) -> None:
        spans = embedder.token_spans(text)
        self.text = text
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]

    @property
    def total(self) -> int:
        """The number of tokens of the whole text."""
        return len(self._starts)

    def count(self, start: int, end: int) -> int:
        """Return the number of tokens that overlap ``text[start:end]``."""
        return max(0, bisect_left(self._starts, end) - bisect_right(self._ends, start))

    def fits(self, start: int, end: int, tokens: int) -> bool:
        """Tell whether a span has at most ``tokens`` tokens and not absurdly many characters for them."""
        return self.count(start, end) <= tokens and end - start <= tokens * _MOST_CHARACTERS_PER_TOKEN

    def token_span(self, first: int, last: int) -> Span:
        """Return the characters of tokens ``first`` to ``last``, exclusive, with the space that follows."""
        return self._position(first), self._position(last)

    def cut(self, start: int, end: int, tokens: int) -> int:
        """Return where to cut ``text[start:end]`` so that the left part fits: after ``start``, at most ``end``.

        Between words where one ends near enough, else between tokens, else, inside an enormous token, anywhere.
        """
        if self.fits(start, end, tokens):
            return end
        furthest = min(end, start + tokens * _MOST_CHARACTERS_PER_TOKEN)
        first = bisect_right(self._ends, start)
        last = min(first + tokens, bisect_right(self._starts, furthest) - 1)
        nearest = max(first + 1, last - max(1, int(tokens * _WORD_SEARCH)))
        for token in range(last, nearest - 1, -1):
            if self._starts[token] > start and self.text[self._starts[token] - 1].isspace():
                return self._starts[token]
        between = self._position(last) if last > first else start
        return between if between > start else furthest

    def _position(self, token: int) -> int:
        """Return where a token starts: 0 for the first, the end of the text for the one after the last."""
        if token <= 0:
            return 0
        return self._starts[token] if token < len(self._starts) else len(self.text)
