"""Errors of the ``openai`` package as those of this package, in one sentence each and without any part of a key."""

import email.utils
import time
import urllib.request
from json import JSONDecodeError
from urllib.parse import urlsplit

from httpx2 import HTTPError, ReadTimeout
from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError

from model_clients.chat.capped_client import ReplyBrokenOff, ResponsePacked, ResponseTooLarge
from model_clients.chat.endpoint import Endpoint
from model_clients.chat.errors import (
    ChatFailed,
    EndpointBusy,
    EndpointFailed,
    EndpointUnusable,
    ReplyUnusable,
    RequestTooLong,
)

_BUSY = frozenset({408, 409, 425, 429})
_TOO_LONG = ("context", "maximum length", "too long", "too many tokens", "token limit", "n_ctx")


def translated(error: Exception, endpoint: Endpoint, model: str) -> ChatFailed | EndpointUnusable:
    """Return the error to raise for one of the ``openai`` package or of its connection."""
    if isinstance(error, ResponseTooLarge) or isinstance(error.__cause__, ResponseTooLarge):
        return ReplyUnusable(f"the reply of {endpoint.base_url} does not end", fault="endless")
    if isinstance(error.__cause__, ResponsePacked):
        return EndpointFailed(f"{endpoint.base_url} packs its replies ({error.__cause__}), which are not read so")
    if isinstance(error, APITimeoutError) and is_paid(error):
        return EndpointBusy(
            f"no reply from {endpoint.base_url} in time; llm.timeout_s says how long is waited", timed_out=True
        )
    if isinstance(error, APIConnectionError) and not is_paid(error):
        return EndpointBusy(f"no connection to {endpoint.base_url}{_proxy(endpoint)}{_cause(error)}")
    if isinstance(error, APIStatusError):
        is_redirect = 300 <= error.status_code < 400
        return _of_redirect(error, endpoint) if is_redirect else _of_status(error, endpoint, model)
    return EndpointBusy(f"{endpoint.base_url} {_fault(error, endpoint)}")


def is_paid(error: Exception) -> bool:
    """Tell whether the endpoint had taken the call up when it failed: it will want to be paid for what it did."""
    cause = error.__cause__ if isinstance(error, APIConnectionError) else error
    return isinstance(cause, ReadTimeout | ReplyBrokenOff | ResponseTooLarge)


def _fault(error: Exception, endpoint: Endpoint) -> str:
    if is_paid(error):
        return "broke off its reply"
    if isinstance(error, APIError):
        return f"failed: {_said(error, endpoint)}"
    if isinstance(error, HTTPError):
        return f"broke off its reply ({type(error).__name__})"
    hint = "; does its address end in /v1?" if isinstance(error, JSONDecodeError) else ""
    return f"sent what is no reply of its protocol ({type(error).__name__}){hint}"


def _of_redirect(error: APIStatusError, endpoint: Endpoint) -> EndpointUnusable:
    there = urlsplit(error.response.headers.get("location", ""))
    to = f" ({there.scheme}://{there.hostname})" if there.hostname else ""
    return EndpointUnusable(
        f"{endpoint.base_url} sends callers on to another address{to} (HTTP {error.status_code}), which is not "
        "followed: put the address that answers into base_url"
    )


def _of_status(error: APIStatusError, endpoint: Endpoint, model: str) -> ChatFailed | EndpointUnusable:
    where, status = endpoint.base_url, error.status_code
    if status in {401, 403}:
        # What the endpoint says of a refused key may hold parts of it.
        variable = f"the environment variable {endpoint.key_variable}"
        wants = f"wants a key (HTTP {status}), and {variable} holds none"
        refuses = f"refuses the key (HTTP {status}): check what {variable} holds"
        return EndpointUnusable(f"{where} {refuses if endpoint.has_key else wants}")
    if status == 404:
        return EndpointUnusable(f"{where} knows no model {model!r}, or is no such endpoint: {_said(error, endpoint)}")
    if status == 402 or error.code == "insufficient_quota":
        return EndpointUnusable(f"{where} wants to be paid first (HTTP {status}): {_said(error, endpoint)}")
    if status in _BUSY or status >= 500:
        return EndpointBusy(
            f"{where} failed with HTTP {status}: {_said(error, endpoint)}",
            retry_after_s=retry_after(error.response.headers.get("retry-after", "")),
        )
    said = _said(error, endpoint)
    if error.code == "context_length_exceeded" or status == 413 or any(part in said.lower() for part in _TOO_LONG):
        return RequestTooLong(f"more was sent than {model!r} reads: {said}")
    return EndpointFailed(f"{where} refuses the request (HTTP {status}): {said}")


def retry_after(header: str) -> float | None:
    """Return the seconds that a Retry-After header asks to wait: a number of seconds, or a date."""
    try:
        seconds = float(header)
    except ValueError:
        seconds = _seconds_until(header)
    return seconds if 0 <= seconds < float("inf") else None


def _seconds_until(date: str) -> float:
    try:
        return max(0.0, email.utils.parsedate_to_datetime(date).timestamp() - time.time())
    except (ValueError, TypeError):
        return -1.0


def said_by(error: APIError) -> str:
    """Return what the endpoint says went wrong."""
    body = error.body
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        return str(body["message"])
    return error.message


def _said(error: APIError, endpoint: Endpoint) -> str:
    return endpoint.shown(said_by(error)) or "nothing is said of why"


def _proxy(endpoint: Endpoint) -> str:
    """Name the proxy of the environment by which an endpoint is reached, if there is one."""
    scheme = urlsplit(endpoint.base_url).scheme
    if endpoint.is_local or scheme not in urllib.request.getproxies() or urllib.request.proxy_bypass(endpoint.host):
        return ""
    return f" by the proxy of {scheme.upper()}_PROXY"


def _cause(error: Exception) -> str:
    cause = error.__cause__
    return "" if cause is None else f" ({type(cause).__name__})"
