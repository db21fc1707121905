"""Where language models are asked, and with which key."""

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from model_clients.chat.errors import EndpointUnusable
from model_clients.chat.settings import LlmSettings, has_more_than_a_path

OPENAI_ADDRESS = "https://api.openai.com/v1"
ADDRESS_VARIABLE = "OPENAI_BASE_URL"

# The client wants some key; servers of one's own take any.
_NO_KEY = "none"
_SHOWN_CHARACTERS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An address with its key, which is never shown, and the environment variable that the key was read from."""

    base_url: str
    key: str = field(repr=False)
    key_variable: str

    @property
    def has_key(self) -> bool:
        """Whether there is a key; the client sends some word in its place where there is none."""
        return self.key != _NO_KEY

    @property
    def host(self) -> str:
        """The host's name or address."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine, where no proxy leads to it."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost" or self.host.endswith(".localhost")

    def shown(self, text: str) -> str:
        """Return the beginning of a text of the endpoint on one line, with the key struck out wherever it stands."""
        plain = text.replace(self.key, "[key]") if self.has_key else text
        # Struck out before it is cut: half a key would not be found.
        return " ".join(plain.split())[:_SHOWN_CHARACTERS]


def find_endpoint(settings: LlmSettings, environment: Mapping[str, str] | None = None) -> Endpoint:
    """Return the endpoint of the settings, its key read from the environment now.

    Raises ``EndpointUnusable`` where OpenAI itself is to be asked and there is no key.
    """
    variables = os.environ if environment is None else environment
    address = settings.base_url or variables.get(ADDRESS_VARIABLE, "").strip() or OPENAI_ADDRESS
    parts = urlsplit(address)
    is_plain = not (parts.username or parts.password or has_more_than_a_path(address))
    if parts.scheme not in {"http", "https"} or not parts.hostname or not is_plain:
        raise EndpointUnusable(
            f"{ADDRESS_VARIABLE} is no address such as http://localhost:11434/v1 (without user, password, ? and #)"
        )
    key = variables.get(settings.api_key_env, "").strip()
    if not key and parts.hostname == urlsplit(OPENAI_ADDRESS).hostname:
        raise EndpointUnusable(
            f"no key for {parts.hostname}: put it into the environment variable {settings.api_key_env}, "
            "or name another endpoint in llm.base_url"
        )
    if not key.isascii() or not key.isprintable():
        raise EndpointUnusable(f"the key in {settings.api_key_env} has characters that no key has; copy it once more")
    return Endpoint(base_url=address.rstrip("/"), key=key or _NO_KEY, key_variable=settings.api_key_env)
