"""Access to the server: other hosts, other sites, tokens, rates, queues, and rules for browsers."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest

from factscope.engine import Settings
from factscope.web import JobLimits, RateLimiter, SecurityRules, is_loopback, pages, rules_for
from tests import lab
from tests.web.served import CHECKS, REQUEST, Client, server

TOKEN = "a-token-of-this-test"
OTHER_HOSTS = ("evil.example", "127.0.0.1.evil.example", "", "127.0.0.1@evil.example", "[::2]")
PATHS_OUT = (
    "/../static-secret",
    "/..%2fstatic-secret",
    "/%2e%2e/static-secret",
    "/assets/../../static-secret",
    "/.secret",
    "/link",
    "//etc/passwd",
    "/%00",
    "/" + "a" * 5_000,
    "/assets",
)
Cases = Callable[[int], None]


def test_a_rebound_name_is_refused(client: Client, cases: Cases) -> None:
    others = (*OTHER_HOSTS, f"evil.example:{client.port}")
    cases(len(others))
    for host in others:
        assert client.get("/api/v1/setup", Host=host).status == 421, host
    for host in (f"127.0.0.1:{client.port}", f"localhost:{client.port}", "LOCALHOST", "[::1]:80"):
        assert client.get("/api/v1/setup", Host=host).status == 200, host


def test_pages_of_other_sites_are_refused(client: Client, cases: Cases) -> None:
    here = f"http://127.0.0.1:{client.port}"
    origins = ("https://evil.example", "null", "http://127.0.0.1", f"https://127.0.0.1:{client.port}")
    cases(2 * len(origins) + 2 * 3)
    for origin in origins:
        assert client.post(CHECKS, REQUEST, Origin=origin).status == 403, origin
        assert client.get(CHECKS, Origin=origin).status == 403, origin
    assert client.get(CHECKS, Origin=here).status == 200
    for site in ("cross-site", "same-site"):
        assert client.get(CHECKS, Sec_Fetch_Site=site).status == 403
        assert client.get(CHECKS, Sec_Fetch_Site=site, Sec_Fetch_Mode="navigate").status == 403
        assert client.get("/openapi.json", Sec_Fetch_Site=site).status == 403
        assert client.get("/", Sec_Fetch_Site=site, Sec_Fetch_Mode="navigate").status == 200, "a link may lead here"
    assert "access-control-allow-origin" not in client.get(CHECKS, Origin=here).headers


def test_every_reply_tells_browsers_to_be_strict(client: Client) -> None:
    for path in ("/", "/api/v1/setup", f"{CHECKS}/none", "/openapi.json", "/healthz", "/nothing"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers
    assert client.get(CHECKS).headers["cache-control"] == "no-store"


def test_nothing_outside_of_the_page_is_served(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cases: Cases
) -> None:
    cases(len(PATHS_OUT))
    static = tmp_path / "static"
    (static / "assets").mkdir(parents=True)
    (static / "index.html").write_text("<title>page</title>")
    (static / "assets" / "app-1a2b.js").write_text("1")
    for ending in ("br", "gz"):
        (static / "assets" / f"app-1a2b.js.{ending}").write_text(ending)
    (static / ".secret").write_text("secret")
    (tmp_path / "static-secret").write_text("secret")
    (static / "link").symlink_to(tmp_path / "static-secret")
    monkeypatch.setattr(pages, "STATIC", static)
    for path in ("/", "/about", "/checks/abc", "/compare/a/b"):
        reply = client.get(path)
        assert (reply.status, reply.body) == (200, b"<title>page</title>")
        assert reply.headers["content-type"] == "text/html; charset=utf-8"
        assert reply.headers["cache-control"] == "no-cache"
        assert ("link" in reply.headers) == (path == "/checks/abc")
    named = client.get("/checks/a%3E,%0D%0A%C3%A4%22").headers["link"]
    assert named == "</api/v1/checks/a%3E%2C%0D%0A%C3%A4%22>; rel=preload; as=fetch; crossorigin"
    asset = client.get("/assets/app-1a2b.js")
    assert asset.headers["content-type"].startswith("text/javascript")
    assert "immutable" in asset.headers["cache-control"]
    assert (asset.body, asset.headers["vary"]) == (b"1", "Accept-Encoding")
    for accepted, coding in (("gzip, br", "br"), ("gzip, br;q=0", "gzip"), ("identity", None)):
        sent = client.get("/assets/app-1a2b.js", Accept_Encoding=accepted)
        assert sent.headers.get("content-encoding") == coding
        assert sent.headers["content-type"].startswith("text/javascript")
    lost = client.get("/nothing", Accept="text/html,*/*")
    assert (lost.status, lost.body) == (404, b"<title>page</title>"), "a person sees the page, a program a problem"
    for path in PATHS_OUT:
        assert client.get(path).status == 404, path


def test_a_page_that_is_not_built_says_how_to_build_it(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "STATIC", tmp_path)
    assert b"make page" in client.get("/").body


def test_a_server_that_is_open_to_others_needs_its_token(tmp_path: Path) -> None:
    settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache")
    rules = rules_for("0.0.0.0", [TOKEN])
    with server(settings, str(tmp_path / "server.db"), rules) as port:
        stranger, friend = Client(port, "not-the-token-at-all"), Client(port, TOKEN)
        for path in ("/", "/api/v1/setup", CHECKS, "/openapi.json", "/metrics"):
            refused = stranger.get(path)
            assert refused.status == 401, path
            assert refused.headers["www-authenticate"] == "Bearer"
        assert stranger.post(CHECKS, REQUEST).status == 401
        assert stranger.get("/healthz").status == 200
        assert friend.get("/api/v1/setup").json["token_required"] is True
        check = friend.check()
        opened = stranger.get(f"/?token={TOKEN}&a=b")
        assert opened.status == 303
        assert opened.headers["location"] == "/?a=b", "the token is out of the address"
        cookie = opened.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        browser = Client(port, "")
        signed_in = browser.get("/api/v1/checks", Cookie=cookie.partition(";")[0])
        assert signed_in.status == 200
        assert signed_in.json["checks"] == [], "a browser is a user of its own"
        assert friend.get(CHECKS).json["checks"][0]["id"] == check
        assert stranger.get("/?token=wrong").status == 401
        assert friend.get("/api/v1/setup", Host="192.0.2.7:80").status == 200
        assert friend.get("/api/v1/setup", Host="evil.example").status == 421


def test_a_token_of_any_characters_signs_a_browser_in(tmp_path: Path) -> None:
    token = 'correct horse; battery = 100 % "staple"'
    settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache")
    with server(settings, str(tmp_path / "server.db"), rules_for("0.0.0.0", [token])) as port:
        opened = Client(port, "").get(f"/?{urlencode({'token': token})}")
        cookie = opened.headers["set-cookie"].partition(";")[0]
        assert Client(port, "").get(CHECKS, Cookie=f"other=[]; {cookie}").status == 200


def test_loopback_is_known() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "::1", "localhost", "127.8.9.1")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.0.1", "example.org", "")))


def test_a_client_over_the_rate_limit_waits_and_others_do_not(tmp_path: Path) -> None:
    settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache")
    with server(settings, str(tmp_path / "server.db"), SecurityRules(requests_per_minute=60)) as port:
        hasty, calm = Client(port), Client(port)
        # More than the burst of 30: on a slow machine some room is given back meanwhile.
        answered = 0
        while (reply := hasty.get("/api/v1/setup")).status == 200 and answered < 600:
            answered += 1
        assert answered >= 30
        assert reply.status == 429
        assert int(reply.headers["retry-after"]) >= 1
        assert calm.get("/api/v1/setup").status == 200
        assert 'factscope_refused_total{why="Too Many Requests"}' in calm.get("/metrics").body.decode()


def test_rate_limits_recover_and_use_bounded_memory() -> None:
    rates = RateLimiter(6_000)
    waits = [rates.take("a") for _ in range(3_100)]
    assert 0 < max(waits) < 0.02
    for n in range(45_000):
        rates.take(str(n))
    assert len(rates._left) <= 20_001


def test_a_full_queue_is_reported_and_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with lab.model_server([{"do": {"hang": True}}]) as models:
        monkeypatch.setenv("OPENAI_BASE_URL", models.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-lab")
        settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache", model={"*": "openai/lab"})
        with server(
            settings, str(tmp_path / "server.db"), room=JobLimits(running=1, waiting=4, waiting_of_one=2)
        ) as port:
            client = Client(port)
            first = client.check(method="verify")
            client.done(first, state="running")
            waiting = [client.check(method="verify") for _ in range(2)]
            refused = client.post(CHECKS, {**REQUEST, "method": "verify"})
            assert refused.status == 429
            assert "2 checks of yours wait" in refused.json["detail"]
            other = Client(port)
            assert [other.post(CHECKS, {**REQUEST, "method": "verify"}).status for _ in range(3)] == [201, 201, 429]
            assert client.post(f"{CHECKS}/{waiting[0]}/cancel").json["state"] == "stopped"
            assert client.post(CHECKS, {**REQUEST, "method": "verify"}).status == 201
            assert len(client.get(CHECKS).json["checks"]) == 4


def test_bodies_are_bounded(tmp_path: Path) -> None:
    settings = Settings(store=tmp_path / "runs.db", cache=tmp_path / "cache")
    with server(settings, str(tmp_path / "server.db"), SecurityRules(max_body=10_000)) as port:
        client = Client(port)
        assert client.post("/api/v1/segment", {"text": "x" * 9_000}).status == 200
        for size in (11_000, 5_000_000):  # the second exceeds what a connection holds: it must be read to be answered
            assert client.post("/api/v1/segment", {"text": "x" * size}).status == 413
        assert client.call("POST", "/api/v1/segment", headers={"Content-Length": "x"}).status in (400, 413)


def test_ids_cannot_be_guessed(client: Client) -> None:
    ids = [client.check(text=f"It has {n} arches.") for n in range(4)]
    for one, other in itertools.combinations(ids, 2):
        same = sum(a == b for a, b in zip(one, other, strict=True))
        assert same < len(one) / 2
