"""Separation of users, by cookie or by their own secret, whatever they ask for."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from .served import CHECKS, REQUEST, Client

USERS = 50


@pytest.mark.medium
def test_fifty_users_at_once_see_only_their_own(port: int, cases: Callable[[int], None]) -> None:
    cases(USERS)

    def journey(number: int) -> tuple[Client, str]:
        client = Client(port)
        check = client.check(text=f"The Marlow bridge was opened in {1900 + number}.", question=f"question {number}")
        return client, check

    with ThreadPoolExecutor(16) as pool:
        made = list(pool.map(journey, range(USERS)))
    for number, (client, check) in enumerate(made):
        listed = client.get(CHECKS).json["checks"]
        assert [one["id"] for one in listed] == [check]
        whole = client.done(check)
        assert whole["request"]["question"] == f"question {number}"
        assert f"{1900 + number}" in whole["report"]["response"]["text"]


def test_checks_of_another_user_appear_not_to_exist(port: int) -> None:
    owner, stranger = Client(port), Client(port)
    check, own = owner.check(), stranger.check()
    owner.done(check)
    stranger.done(own)
    unknown = stranger.get(f"{CHECKS}/none")
    for method, path, body in (
        ("GET", "", None),
        ("GET", "/events", None),
        ("GET", "/export", None),
        ("GET", f"/compare/{own}", None),
        ("POST", "/cancel", None),
        ("POST", "/retry", None),
        ("POST", "/recheck", {"text": "a b c."}),
        ("POST", "/recheck/plan", {"text": "a b c."}),
        ("PUT", "/choices", {}),
        ("DELETE", "", None),
    ):
        reply = stranger.call(method, f"{CHECKS}/{check}{path}", body)
        assert (reply.status, reply.body) == (404, unknown.body), path
    assert stranger.get(f"{CHECKS}/{own}/compare/{check}").status == 404
    assert stranger.get(f"{CHECKS}?after={check}").status == 404
    assert owner.get(f"{CHECKS}/{check}").json["revision"] == 0


def test_a_browser_is_identified_by_a_cookie_that_scripts_cannot_read(port: int) -> None:
    first = Client(port, "").get("/api/v1/setup")
    cookie = first.headers["set-cookie"]
    name, _, rest = cookie.partition("=")
    assert name == "factscope_user"
    assert len(rest.partition(";")[0]) >= 40
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "Path=/;" in cookie
    browser, given = Client(port, ""), {"Cookie": cookie.partition(";")[0]}
    made = browser.call("POST", CHECKS, REQUEST, given)
    assert "set-cookie" not in made.headers
    assert [one["id"] for one in browser.call("GET", CHECKS, headers=given).json["checks"]] == [made.json["id"]]
    assert Client(port, "").get(CHECKS).json["checks"] == []


def test_a_visit_from_a_link_on_another_site_does_not_replace_the_user_cookie(port: int) -> None:
    """Such a visit lacks the cookie, which is strict: giving a new one would lose the old."""
    visit = Client(port, "").get("/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate")
    assert visit.status == 200
    assert "set-cookie" not in visit.headers


def test_a_guessable_secret_is_refused(port: int) -> None:
    refused = Client(port, "short").post(CHECKS, REQUEST)
    assert (refused.status, refused.headers["www-authenticate"]) == (401, "Bearer")
    assert refused.json["detail"] == "The secret in Authorization has 5 characters; it could be guessed."
    assert refused.json["hint"] == "Choose one of 16 characters or more."
    assert Client(port, "short").get("/healthz").status == 200


def test_odd_cookies_are_passed_over(port: int) -> None:
    for odd in ("=", ";;;", "factscope_user", 'factscope_user="', "factscope_user=" + "x" * 10, "a=b; \x7f=1"):
        assert Client(port, "").get(CHECKS, Cookie=odd).status == 200, odd
