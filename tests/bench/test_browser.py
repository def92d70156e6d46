"""The report page in a real browser: clicked through, light and dark, wide and on a phone."""

import os
from pathlib import Path

import pytest

from tb_bench.pages import Page, render_report
from tb_bench.summary import summarise
from tb_bench.viewer import pack_episodes

pytestmark = pytest.mark.browser

CHROMIUM = Path(os.environ.get("TB_CHROMIUM", "/usr/bin/chromium"))
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser():
    if os.environ.get("TB_REQUIRE_BROWSER") != "1":
        if not CHROMIUM.exists():
            pytest.skip(f"no Chromium at {CHROMIUM}; set TB_CHROMIUM")
        pytest.importorskip("playwright", reason="the extra `dev` brings playwright")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(base, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    page = Page(base, summarise(base), pack_episodes(base, "sample"))
    path.write_text(render_report(page, "html"), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def opened(browser, address):
    """Opens the page; fails on any script error or request to a network."""
    contexts, errors, requests = [], [], []

    def open_page(fragment="", **settings):
        context = browser.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(address + fragment)
        page.locator("#episode .verdict").wait_for()
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []


def test_a_failed_episode_shows_talk_changes_and_verdict_side_by_side(opened, base):
    page = opened(viewport={"width": 1280, "height": 900})
    page.locator("#verdict").select_option("false")
    page.locator("#list button").first.click()
    assert page.locator("#episode .chip.fail").inner_text() == "failed"
    said, did = page.locator("#episode .said").nth(1), page.locator("#episode .did").nth(1)
    assert did.bounding_box()["x"] >= said.bounding_box()["x"] + said.bounding_box()["width"]
    assert "I booked a suite" in page.locator(".bubble.user").first.inner_text()
    assert page.locator(".check.fail .why").first.inner_text()
    failed = sum(not item.passed for item in base.attempts)
    assert 0 < page.locator("#list button").count() <= failed


def test_a_call_opens_to_its_result_and_stands_beside_its_changes(opened):
    page = opened(viewport={"width": 1280, "height": 900})
    page.locator("#verdict").select_option("true")
    page.locator("#list button").first.click()
    call = page.locator(".step", has_text="request_approval")
    assert "APR-3001" in call.locator(".row.insert").inner_text()
    call.locator("details.call summary").click()
    assert '"status": "pending"' in call.locator("details.call pre").inner_text()
    hold = page.locator(".step", has_text="update_ticket").locator(".row.update")
    assert hold.locator("del").first.inner_text() == "open"
    assert hold.locator("ins").first.inner_text() == "on_hold"


def test_filters_narrow_the_list_and_a_search_finds_a_task(opened, base):
    page = opened()
    page.locator("#domain").select_option("travel")
    names = page.locator("#list button span").all_inner_texts()
    assert names
    assert all(name.startswith("travel") for name in names)
    page.locator("#domain").select_option("")
    wanted = base.campaign.suite.tasks[3].task_id
    page.locator("#search").fill(wanted)
    assert set(page.locator("#list button span").all_inner_texts()) == {wanted}
    assert "shown" in page.locator("#shown").inner_text()


def test_an_address_names_an_episode_and_follows_the_clicks(opened, base):
    attempt = min(
        (item for item in base.attempts if not item.passed), key=lambda item: item.attempt
    )
    page = opened(f"#{attempt.task_id}/{attempt.attempt}")
    assert page.locator("#episode .head strong").inner_text() == attempt.task_id
    page.locator("#list button").first.click()
    assert page.url.endswith("/" + page.locator("#list button em").first.inner_text().strip("#"))


def test_a_phone_scrolls_down_only(opened):
    page = opened(viewport=PHONE)
    widths = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] == widths[1]
    said, did = page.locator("#episode .said").nth(3), page.locator("#episode .row").first
    assert did.bounding_box()["x"] < said.bounding_box()["x"] + said.bounding_box()["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_the_paper(opened, scheme):
    page = opened(color_scheme=scheme)
    ink, paper = page.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    )
    assert contrast(ink, paper) > 10
    tick = page.locator("svg text").first
    assert contrast(tick.evaluate("node => getComputedStyle(node).fill"), paper) > 4.5


def contrast(first, second):
    """Ratio of two CSS colours, as WCAG 2 defines it."""
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour):
    channels = [int(part) / 255 for part in colour.removeprefix("rgb(").rstrip(")").split(",")]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
