"""Conversations on disk, in the user's state folder: those of one store and one caller together, apart from all others.

Folders and files are named by hashes, and only the user may read them. Nothing here decides who may read what: turns
that are read back still have to be held against the store (:func:`query.conversation.turns.readable_turns`).
"""

import fcntl
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from belvedere.errors import UserMistake
from graph_store.access import Access
from graph_store.valid_text import is_valid_text
from query.conversation.settings import ConversationSettings
from query.conversation.turns import Turn, readable_turns

_FORM = 2
# Before, turns did not tell the documents that their question was understood from.
_TELLS_ORIGINS = 2


class ConversationUnusable(UserMistake):
    """A kept conversation cannot be read or written."""


def conversation_folder() -> Path:
    """Return the folder of all conversations: ``$XDG_STATE_HOME/belvedere/conversations``, or in ``~/.local/state``."""
    base = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(base).expanduser() / "belvedere" / "conversations"


class ConversationFiles:
    """The conversations of one caller about one store, which ``store`` tells from every other (its ``identity``)."""

    def __init__(self, store: str, access: Access, settings: ConversationSettings) -> None:
        self._of_store = conversation_folder() / _name([store])
        self._tenant = access.tenant
        self._folder = self._of_store / _name([access.tenant, *sorted(access.groups)])
        self._settings = settings

    def read(self, name: str) -> tuple[Turn, ...]:
        """Return the turns that are kept under a name, none where there are none. Raises ``ConversationUnusable``."""
        try:
            content = json.loads(self._file(name).read_text(encoding="utf-8"))
            return _turns(content)[-self._settings.turns :]
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise ConversationUnusable(f"cannot read the conversation {name!r}: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ConversationUnusable(
                f"the kept conversation {name!r} is damaged; forget it with --forget, or use another name"
            ) from None

    def write(self, name: str, turns: Sequence[Turn]) -> None:
        """Keep the last turns under a name; conversations unused for longest go. Raises ``ConversationUnusable``."""
        try:
            with self._alone():
                self._write(name, turns)
        except OSError as error:
            raise _unkept(name, error) from None

    def add(self, name: str, turn: Turn, readable: Callable[[tuple[Turn, ...]], tuple[Turn, ...]]) -> tuple[Turn, ...]:
        """Keep a turn behind those that are kept by now, another process's too, and return them all.

        ``readable`` returns what of the kept ones may still be kept. Raises ``ConversationUnusable``.
        """
        try:
            with self._alone():
                turns = (*readable(self.read(name)), turn)[-self._settings.turns :]
                self._write(name, turns)
        except OSError as error:
            raise _unkept(name, error) from None
        return turns

    def _write(self, name: str, turns: Sequence[Turn]) -> None:
        content = {
            "form": _FORM,
            "name": name,
            "tenant": self._tenant,
            "turns": [_json(turn) for turn in turns[-self._settings.turns :]],
        }
        _write_whole(self._file(name), json.dumps(content, ensure_ascii=False))
        for file in self._by_use()[self._settings.conversations :]:
            file.unlink(missing_ok=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Make the caller's folder and hold it: whoever changes a conversation in it at this time waits."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _held(self._folder):
            yield

    def forget(self, name: str) -> bool:
        """Delete what is kept under a name; tell whether there was anything. Raises ``ConversationUnusable``."""
        try:
            self._file(name).unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise ConversationUnusable(f"cannot delete the conversation {name!r}: {error.strerror}") from None
        return True

    def forget_documents(self, documents: Iterable[str]) -> None:
        """Delete the answers that cite one of ``documents`` from all of this user's conversations with the tenant.

        Raises ``ConversationUnusable``. A damaged file is deleted whole: what is in it cannot be told.
        """
        gone = frozenset(documents)
        if not gone:
            return
        try:
            for file in sorted(self._of_store.glob("*/*.json")):
                with _held(file.parent):
                    self._forget_in(file, gone)
        except OSError as error:
            raise ConversationUnusable(f"cannot delete answers of kept conversations: {error.strerror}") from None

    def _forget_in(self, file: Path, gone: frozenset[str]) -> None:
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
            tenant, turns = content["tenant"], _turns(content)
        except FileNotFoundError:  # forgotten by another process by now
            return
        except (ValueError, KeyError, TypeError, AttributeError):
            file.unlink(missing_ok=True)
            return
        cited = {document: hashed for turn in turns for document, hashed in turn.documents.items()}
        if tenant != self._tenant or gone.isdisjoint(cited):
            return
        left = readable_turns(turns, {document: hashed for document, hashed in cited.items() if document not in gone})
        _write_whole(
            file, json.dumps({**content, "form": _FORM, "turns": [_json(turn) for turn in left]}, ensure_ascii=False)
        )

    def _file(self, name: str) -> Path:
        if not is_valid_text(name):
            raise ConversationUnusable(f"the name {name[:40]!r} of a conversation is no valid Unicode")
        return self._folder / f"{_name([name])}.json"

    def _by_use(self) -> list[Path]:
        """Return the files, those written last first."""
        return sorted(self._folder.glob("*.json"), key=lambda file: (-file.stat().st_mtime_ns, file.name))


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Hold a folder against other processes and threads that hold it so; the system frees it when the process ends."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _unkept(name: str, error: OSError) -> ConversationUnusable:
    return ConversationUnusable(f"cannot keep the conversation {name!r}: {error.strerror}")


def _name(parts: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(list(parts)).encode()).hexdigest()[:32]


def _write_whole(file: Path, text: str) -> None:
    """Write a file so that it is there whole or as it was; readable by the user alone."""
    descriptor, made = tempfile.mkstemp(dir=file.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.replace(made, file)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(made)
        raise


def _json(turn: Turn) -> Mapping[str, object]:
    return {
        "question": turn.question,
        "asked_as": turn.asked_as,
        "answer": turn.answer,
        "documents": dict(turn.documents),
    }


def _turns(content: Mapping[str, Any]) -> tuple[Turn, ...]:
    """Return the turns of a file; of a follow-up whose origin an older file does not tell, the question alone."""
    turns = tuple(_turn(item) for item in content["turns"])
    if content["form"] >= _TELLS_ORIGINS:
        return turns
    return tuple(
        turn
        if turn.asked_as == turn.question
        else Turn(question=turn.question, asked_as=turn.question, answer="", documents={})
        for turn in turns
    )


def _turn(item: Mapping[str, Any]) -> Turn:
    documents = {str(document): str(content) for document, content in item["documents"].items()}
    return Turn(
        question=str(item["question"]),
        asked_as=str(item["asked_as"]),
        answer=str(item["answer"]),
        documents=documents,
    )
