"""Soft errors: pages served with 2xx that are refusals, each with the rule that decided."""

import pytest

from centinel.liveness import of_redirect, of_title

HOST = "https://town.example"


@pytest.mark.parametrize(
    ("asked", "final", "liveness", "reason"),
    [
        ("/news/2019/parade", "/", "gone", "redirect to the home page"),
        ("/parade", "/", "gone", "redirect to the home page"),
        ("/a/b", "/index.html", "gone", "redirect to the home page"),
        ("/a/b", "/Home", "gone", "redirect to the home page"),
        ("/a/b", "/Account/Login?ReturnUrl=%2Fa%2Fb", "blocked", "redirect to /login"),
        ("/", "/sso/start", "blocked", "redirect to /sso"),
        ("/a", "/Error/NotFound?aspxerrorpath=/a", "gone", "redirect to /notfound"),
    ],
)
def test_a_redirect_away_from_a_page_is_a_refusal(
    asked: str, final: str, liveness: str, reason: str
) -> None:
    refusal = of_redirect(HOST + asked, HOST + final, 200)
    assert refusal is not None
    assert (refusal.liveness, refusal.reason) == (liveness, reason)


@pytest.mark.parametrize(
    ("asked", "final"),
    [
        ("/", "/home"),
        ("/home", "/"),
        ("/index.html", "/"),
        ("/en", "/"),
        ("/pt-br/", "/"),
        ("/welcome", "/"),
        ("/a", "/b"),
        ("/a/b", "/?page=b"),
        ("/login", "/login"),
        ("/services/error-reporting", "/services/error-reporting/"),
    ],
)
def test_an_ordinary_redirect_is_none(asked: str, final: str) -> None:
    assert of_redirect(HOST + asked, HOST + final, 200) is None


@pytest.mark.parametrize(
    ("title", "liveness"),
    [
        ("Page not found", "gone"),
        ("Page Not Found | Town of Alder", "gone"),
        ("Town of Alder – 404", "gone"),
        ("404 - File or directory not found.", "gone"),
        ("The page could not be found", "gone"),
        ("Error", "error"),
        ("Runtime Error", "error"),
        ("500 Internal Server Error", "error"),
        ("An error occurred | Meetings", "error"),
        ("Access Denied", "blocked"),
        ("403 Forbidden", "blocked"),
        ("Attention Required! | Cloudflare", "blocked"),
    ],
)
def test_a_page_that_calls_itself_an_error_is_one(title: str, liveness: str) -> None:
    refusal = of_title(title, 200, HOST)
    assert refusal is not None
    assert refusal.liveness == liveness
    assert refusal.reason.startswith("titled ")


@pytest.mark.parametrize(
    "title",
    [
        "",
        "Lost and not found: a report on the pound",
        "Errors in the 2019 audit",
        "Minutes of 4 April",
        "Error reporting | Services",
        "Forbidden parking zones",
        "Access to records denied: how to appeal",
        "Highway 404 closures",
        "Room 404",
    ],
)
def test_a_page_about_errors_is_none(title: str) -> None:
    assert of_title(title, 200, HOST) is None
