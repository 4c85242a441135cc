"""Errors as problem documents (RFC 9457): the failure, the affected item, and how to fix it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from factscope.core import BusyError, FactscopeError, InputError, StoreError, UsageError
from factscope.web.forms import FieldError, Problem

MEDIA_TYPE = "application/problem+json"
_SHOWN_FIELDS = 20  # faults of a request that are listed
_log = logging.getLogger("factscope.web")


class ProblemError(Exception):
    """A problem with its status, raised by a route."""

    def __init__(self, status: int, detail: str, hint: str = "", *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.problem = Problem(title=HTTPStatus(status).phrase, status=status, detail=detail, hint=hint or None)
        self.headers = dict(headers or {})


def not_found(thing_name: str) -> ProblemError:
    """Return a 404 for anything missing or owned by another user: the two must look alike."""
    return ProblemError(
        404, f"There is no {thing_name} here.", "It may have been deleted, or belong to another browser or user."
    )


def damaged() -> ProblemError:
    """Return the problem of a check that has ended, and whose records are no longer whole."""
    return ProblemError(409, "Stored records of this check are damaged.", "Retry it: what is missing is made again.")


def problem_of(error: Exception) -> Problem:
    """Return an error as a problem document. Errors that a user can't fix carry no internal detail."""
    if isinstance(error, ProblemError):
        return error.problem
    if isinstance(error, RequestValidationError):
        return _unfit(error.errors())
    if isinstance(error, HTTPException):
        detail = _DETAILS.get(error.status_code, str(error.detail))
        return Problem(title=HTTPStatus(error.status_code).phrase, status=error.status_code, detail=detail)
    if isinstance(error, FactscopeError):
        status, title = next((entry for kind, entry in _KINDS.items() if isinstance(error, kind)), _OUTSIDE)
        return Problem(title=title, status=status, detail=error.message, hint=error.hint or None)
    _log.error("A request or check failed.", exc_info=error)
    return Problem(
        title="An error in Factscope",
        status=500,
        detail=f"An unexpected error occurred ({type(error).__name__}).",
        hint="Earlier results are kept. The server's log has the details.",
    )


_KINDS: dict[type[FactscopeError], tuple[int, str]] = {
    UsageError: (422, "The request can't be carried out"),
    InputError: (422, "The content can't be used"),
    BusyError: (409, "It is being worked on"),
    StoreError: (507, "The store can't be used"),
}
"""Status and title of an error; the first kind that it belongs to counts."""
_OUTSIDE = (422, HTTPStatus(422).phrase)
"""Those of a BoundaryError: the outside thing that was named in the request failed, and not this server."""


def respond(problem: Problem, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return a problem as a response."""
    return JSONResponse(
        problem.model_dump(mode="json", exclude_none=True), problem.status, dict(headers or {}), MEDIA_TYPE
    )


def install(app: FastAPI) -> None:
    """Convert all errors of an application to problem documents."""

    async def answer(request: Request, error: Exception) -> JSONResponse:
        headers = error.headers if isinstance(error, ProblemError | HTTPException) else None
        return respond(problem_of(error), headers)

    for kind in (ProblemError, FactscopeError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, answer)


_DETAILS = {
    400: "The body of the request can't be read as JSON.",
    404: "There is nothing at this address.",
    405: "This address does not take such a request.",
}


def _unfit(errors: Sequence[Mapping[str, Any]]) -> Problem:
    for error in errors:
        if error["type"] == "json_invalid":  # its path is `body` and the place
            reason = error["ctx"]["error"].removesuffix(" at")
            fault = FieldError(field="body", message=f"{reason} at character {error['loc'][-1] + 1}")
            detail = f"The body of the request is not JSON: {fault.message}."
            return Problem(title="Bad Request", status=400, detail=detail, errors=(fault,))
    fields = tuple(
        FieldError(field=".".join(_path(error["loc"])) or "body", message=_message(error))
        for error in _of_the_nearest_form(errors)[:_SHOWN_FIELDS]
    )
    if fields == (FieldError(field="body", message="Field required"),):
        return Problem(title="The request can't be used", status=422, detail="The request has no body.", errors=fields)
    first = f"{fields[0].field}: {fields[0].message}" if fields else "It does not fit."
    return Problem(title="The request can't be used", status=422, detail=f"{first}.", errors=fields)


def _path(steps: Sequence[str | int]) -> list[str]:
    """Return the path of a field without the forms that pydantic tried there, `str` or the name of a class."""
    return [str(step) for step in steps if isinstance(step, int) or not (step in ("body", "str") or step[:1].isupper())]


def _of_the_nearest_form(errors: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the errors, without "not a string" for an object that has errors of its own."""
    objects = {tuple(error["loc"][:end]) for error in errors for end in range(len(error["loc"]) - 1)}
    return [error for error in errors if error["loc"][-1:] != ("str",) or tuple(error["loc"][:-1]) not in objects]


def _message(error: Mapping[str, Any]) -> str:
    if error["type"] in ("tuple_type", "list_type"):
        return "It is not a list"
    if error["type"] == "too_long" and error["ctx"]["field_type"] == "Tuple":
        return f"At most {error['ctx']['max_length']:,} items are allowed"
    if error["type"] == "extra_forbidden":
        return "There is no such field"
    if error["type"] == "model_attributes_type":
        if len(error["loc"]) > 1:
            return "It is not a JSON object"
        return "The body is not a JSON object; send it as application/json"
    return str(error["msg"]).removeprefix("Value error, ")


RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"description": description, "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    for status, description in {
        400: "The body is not JSON.",
        401: "A token is needed.",
        403: "The request comes from another site.",
        404: "There is no such thing, or it is another user's.",
        405: "The address does not take this method; `Allow` names those that it takes.",
        409: "It can't be done in this state.",
        411: "The length of the body must be stated.",
        412: "Another tab or program was first.",
        413: "It is too large.",
        415: "The body is not JSON.",
        421: "This server is not of that name.",
        422: "The request can't be carried out; the problem says why.",
        429: "Too many requests, or too many checks waiting.",
    }.items()
}
"""Problems that any endpoint may answer with, for the description of the API."""
