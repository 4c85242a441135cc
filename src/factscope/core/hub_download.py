"""Downloads from a Hugging Face hub, by the hub's own client.

Added to it: settings come from a given environment, nothing is sent unencrypted or written outside the target folder,
the token goes only to the hub, and a file is used only once its size and digest are verified.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.util import find_spec
from json import JSONDecodeError
from pathlib import Path
from shutil import disk_usage
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import urlsplit

from factscope.core.errors import FactscopeError, InputError, StoreError, UsageError, system_reason
from factscope.core.user_files import sha256_of
from factscope.core.validation import must_fit_a_header
from factscope.core.version import __version__

if TYPE_CHECKING:
    import httpx2
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import RepoSibling

_TIMEOUT = 30.0  # seconds to connect, and for each chunk of an answer
_MODEL_NAME = re.compile(r"([\w.-]+/[\w.-]+)(?:@([^:\s]+))?", re.ASCII)
_LOCAL = {"localhost", "127.0.0.1"}


class NoRevisionError(UsageError):
    """The repository has no such revision."""


class Hub(NamedTuple):
    """Address of a hub without a final slash, and the access token; an empty token for none."""

    address: str
    token: str

    def __repr__(self) -> str:
        return f"Hub({self.address!r})"


_hub: ContextVar[Hub | None] = ContextVar("hub", default=None)
"""The hub that is being asked in this context."""


def hub_of(environment: Mapping[str, str]) -> Hub:
    """Return the hub that HF_ENDPOINT names, otherwise huggingface.co, with HF_TOKEN.

    Raises UsageError when either is malformed.
    """
    address = environment.get("HF_ENDPOINT", "").strip().rstrip("/") or "https://huggingface.co"
    token = environment.get("HF_TOKEN", "").strip()
    try:
        url = urlsplit(address)
        usable = _may_visit(url.scheme, url.hostname, url.hostname) and url.port != 0 and not url.query + url.fragment
    except ValueError:
        usable = False
    if not usable or "@" in address:
        raise UsageError(
            "HF_ENDPOINT is not an address that can be used.",
            "It looks like https://HOST; http only works on 127.0.0.1.",
        )
    must_fit_a_header(token, "HF_TOKEN", "token")
    return Hub(address, token)


def model_name(text: str) -> tuple[str, str] | None:
    """Return the repository and the revision of `org/name` or `org/name@revision`; None for any other text."""
    match = _MODEL_NAME.fullmatch(text)
    return (match[1], match[2] or "main") if match else None


class Revision(NamedTuple):
    """One revision of a repository, as its hub describes it."""

    commit: str
    files: dict[str, RepoSibling]
    """By path, each with its size, and with `lfs` where the digest is known."""
    card: dict[str, Any]


class Repository(NamedTuple):
    """A model or data set of a hub."""

    hub: Hub
    id: str
    kind: Literal["model", "dataset"] = "model"

    def revision(self, name: str) -> Revision:
        """Describe a branch, tag or commit.

        Raises NoRevisionError, UsageError for an unknown repository, and InputError if the hub gives no usable answer.
        """
        with self._client(name) as client:
            ask = client.model_info if self.kind == "model" else client.dataset_info
            try:
                info = ask(self.id, revision=name, timeout=_TIMEOUT, files_metadata=True)
                files = {file.rfilename: file for file in info.siblings or ()}
                digests = [info.sha or "", *(file.lfs.sha256 for file in files.values() if file.lfs)]
                if all(re.fullmatch("[0-9a-f]{6,64}", digest) for digest in digests):  # they become file names
                    return Revision(digests[0], files, vars(info.card_data) if info.card_data else {})
            except (AttributeError, KeyError, TypeError, JSONDecodeError):
                pass
            raise InputError(f"The answer of {self.hub.address} is not a list of files.", "Is it a hub?")

    def download(self, file: str, commit: str, target: Path, size: int | None, digest: str | None) -> None:
        """Download a file of a commit to `target`, completely or not at all.

        `size` and `digest` (SHA-256) are those that the hub lists for it, if it does. Raises UsageError, InputError
        when the download fails, and StoreError when the file can't be written.
        """
        with self._client(commit) as client:
            from huggingface_hub.utils.tqdm import silent_tqdm

            try:
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                if size and size > (free := disk_usage(target.parent).free):
                    message = f"A file of {size / 1e9:,.1f} GB is to be fetched, and {free / 1e9:,.1f} GB are free."
                    raise InputError(message, "Make room.")
                with TemporaryDirectory(prefix=".part-", dir=target.parent) as folder:
                    path = Path(
                        client.hf_hub_download(
                            self.id, file, repo_type=self.kind, revision=commit,
                            local_dir=folder, cache_dir=folder, tqdm_class=silent_tqdm,
                        )
                    )  # fmt: skip
                    fetched = sha256_of(path)
                    if size not in (None, path.stat().st_size) or digest not in (None, fetched):
                        raise InputError(f"{file} came with another content than the hub lists for it.", "Try again.")
                    path.chmod(0o600)
                    path.replace(target)
            except OSError as error:
                if error.errno is None:  # an error of the client
                    raise
                message = f"The cache folder {target.parent} can't be written: {system_reason(error)}."
                raise StoreError(message, "Make room, or choose another.") from None

    @contextmanager
    def _client(self, revision: str) -> Iterator[HfApi]:
        """Provide the hub's client, and convert its errors to messages for people.

        Raises UsageError when it is not installed.
        """
        if find_spec("huggingface_hub") is None:
            needed = "Fetching from a hub needs the package huggingface_hub, which is not installed."
            raise UsageError(needed, "Install it: pip install 'factscope[hub]'")
        import httpx2
        from huggingface_hub import HfApi

        _prepare()
        token = _hub.set(self.hub)
        try:
            yield HfApi(self.hub.address, self.hub.token or False, "factscope", __version__)
        except (OSError, ValueError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise self._explained(error, revision) from None
        finally:
            _hub.reset(token)

    def _explained(self, error: Exception, revision: str) -> FactscopeError:
        import httpx2
        from huggingface_hub import errors

        (address, token), model = self.hub, self.kind == "model"
        page, subject = (self.id, f"The model {self.id}") if model else (f"datasets/{self.id}", "The data set")
        cause = error.__cause__ if isinstance(error, errors.LocalEntryNotFoundError) else error
        status = cause.response.status_code if isinstance(cause, errors.HfHubHTTPError) else 0
        if isinstance(cause, errors.HfHubHTTPError) and cause.response.url.origin != httpx2.URL(address).origin:
            return InputError(f"The host that keeps the file answers with {status}.", "Try again later.")
        if isinstance(cause, errors.GatedRepoError) or status == 403:
            hint = "Check that the HF_TOKEN account has access." if token else "Then set HF_TOKEN."
            access = f"Request access at {address}/{page}. {hint}"
            return InputError(f"{subject} is gated: its owners approve each account.", access)
        if status == 401 and token:
            return InputError(f"{address} does not accept HF_TOKEN.", "Set it to a token that is valid.")
        if isinstance(cause, errors.RevisionNotFoundError):
            return NoRevisionError(f"{subject} has no revision {revision!r}.", f"See {address}/{page}.")
        if status in (401, 404) or isinstance(cause, errors.HFValidationError):
            local, remote = (f"a folder {self.id}", "model") if model else ("such a file", "data set")
            hint = "" if token else " If it is private or gated, set HF_TOKEN."
            return UsageError(f"There is neither {local} nor, at {address}, such a {remote}.", f"Check the name.{hint}")
        if isinstance(cause, httpx2.ConnectError):
            reason = re.sub(r"^\[Errno -?\d+\] ", "", str(cause)).rstrip(".")
            return InputError(f"The hub at {address} can't be reached: {reason}.", "Check the network and the address.")
        reason = f"it answers with {status}" if status else str(cause).partition("\n")[0].rstrip(".")
        return InputError(f"The hub at {address}: {reason}.", "Try again later.")


@cache
def _prepare() -> None:
    """Set up the client once per process."""
    import httpx2
    from huggingface_hub import constants, set_client_factory
    from huggingface_hub.utils._http import hf_request_event_hook

    constants.HF_HUB_DISABLE_TELEMETRY = True  # otherwise it keeps a list from huggingface.co in the home folder
    constants.HF_HUB_DISABLE_XET = True  # downloads past `_guard`, with a cache in the home folder
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # no messages about retries
    hooks = {"request": [hf_request_event_hook, _guard]}
    direct = {f"all://{host}": None for host in _LOCAL}  # no proxy, which would see all requests
    set_client_factory(lambda: httpx2.Client(event_hooks=hooks, mounts=direct, follow_redirects=True, timeout=_TIMEOUT))


def _guard(request: httpx2.Request) -> None:
    """Refuse unencrypted requests, and send the token only to the hub. Raises InputError."""
    if hub := _hub.get():  # otherwise another user of the client makes the request
        import httpx2

        home = httpx2.URL(hub.address)
        if not _may_visit(request.url.scheme, request.url.host, home.host):
            raise InputError(f"The hub at {hub.address} sends us to an address that is not https.", "Try again later.")
        if request.url.origin != home.origin:
            request.headers.pop("authorization", None)


def _may_visit(scheme: str, host: str | None, hub_host: str | None) -> bool:
    return bool(host) and (scheme == "https" or (scheme == "http" and {host, hub_host} <= _LOCAL))
