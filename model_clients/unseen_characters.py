"""Characters that show nothing and so can hide or split words."""

import re

UNSEEN = re.compile(
    "["
    "\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "]+"
)
"""Control and format characters, lone surrogates, variation selectors, fillers, tags, noncharacters, in runs.

Not among them are line ends, the two joiners, which some scripts spell with, and format characters with a shape of
their own (Arabic number signs, Egyptian joiners).
"""
