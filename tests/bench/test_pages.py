import base64
import json
import re
import zlib

import pytest
from rich.console import Console

from tb_bench.comparison import compare, cost_points
from tb_bench.figures import Point, pareto, pareto_front
from tb_bench.formats import money
from tb_bench.pages import Page, render_comparison, render_report
from tb_bench.results import read_results
from tb_bench.summary import summarise
from tb_bench.synthetic import (
    synthetic_episodes,
    synthetic_ledger,
    synthetic_rates,
    synthetic_suite,
)
from tb_bench.terminal import comparison_tables, incomplete_notice, report_tables
from tb_bench.viewer import pack_episodes
from tb_envs.errors import UsageError
from tb_trainer.selection.campaign import Campaign
from tb_trainer.selection.ledger import Ledger


def unpacked(packed):
    return json.loads(zlib.decompress(base64.b64decode(packed.data)))


def printed(renderable):
    console = Console(record=True, width=200)
    console.print(renderable)
    return console.export_text()


@pytest.fixture(scope="module")
def page(base):
    return Page(base, summarise(base), pack_episodes(base, "sample"))


def test_the_page_is_whole_in_itself(page):
    html = render_report(page, "html")
    assert not re.search(r'(?:src|href)="(?!data:,|#)', html)
    assert not re.search(r"url\((?!#)", html)
    assert "@import" not in html


def test_the_page_and_the_markdown_state_the_same_headline(page):
    overall = page.summary.overall
    headline = f"{overall.pass_1.value:.1%}"
    assert headline in render_report(page, "html")
    markdown = render_report(page, "md")
    assert f"| overall | 14 | {headline}" in markdown
    assert "| retail | 6 |" in markdown
    assert headline in printed(report_tables(page.results, page.summary))


def test_plots_take_their_colours_from_the_page(page):
    html = render_report(page, "html")
    svgs = re.findall(r"<svg.*?</svg>", html, flags=re.DOTALL)
    assert len(svgs) == 4
    for svg in svgs:
        assert "var(--muted)" in svg
        # matplotlib's own black would vanish in dark mode.
        assert "#000000" not in svg


def test_an_incomplete_campaign_says_so_and_gives_no_figure(tmp_path):
    suite = synthetic_suite({"retail": 3})
    ledger = synthetic_ledger(tmp_path, suite=suite, skill=0.5, attempts=2)
    lines = ledger.episodes_path.read_text().splitlines(keepends=True)
    ledger.episodes_path.write_text("".join(lines[:-1]))
    results = read_results(tmp_path)
    page = Page(results, None, pack_episodes(results, "sample"))
    for text in (
        render_report(page, "html"),
        render_report(page, "md"),
        printed(incomplete_notice(results.standing)),
    ):
        assert "incomplete" in text
        assert "never made" in text
        assert f"{suite.tasks[-1].task_id}#1" in text
        assert "pass@1</" not in text
        assert "%" not in re.sub(r"<style>.*?</style>|<script.*?</script>", "", text, flags=re.S)


def test_the_sample_holds_each_tasks_first_failed_and_first_passed_attempt(base):
    chosen = {
        (item["task"], item["passed"]): item["attempt"]
        for item in unpacked(pack_episodes(base, "sample"))["episodes"]
    }
    for attempt in base.attempts:
        assert chosen[attempt.task_id, attempt.passed] <= attempt.attempt
    assert len(unpacked(pack_episodes(base, "all"))["episodes"]) == 56
    assert pack_episodes(base, "none").count == 0


def test_each_system_prompt_is_packed_once(base):
    data = unpacked(pack_episodes(base, "all"))
    assert len(data["prompts"]) == 1
    first = data["episodes"][0]["messages"][0]
    assert (first["role"], first["content"], first["prompt"]) == ("system", "", 0)


def test_what_a_model_wrote_cannot_leave_its_place_in_the_page(tmp_path):
    suite = synthetic_suite({"retail": 1})
    ledger = synthetic_ledger(
        tmp_path, suite=suite, skill=0.5, attempts=1, policy="<script>alert(1)</script>"
    )
    results = read_results(ledger.folder)
    html = render_report(Page(results, summarise(results), pack_episodes(results, "all")), "html")
    assert "<script>alert(1)" not in html


def test_a_comparison_shows_both_policies_and_the_change(base, trained):
    found = compare(base, trained)
    change = found.overall.change
    assert change.pass_1.value == pytest.approx(
        found.overall.trained.pass_1.value - found.overall.base.pass_1.value
    )
    html = render_comparison(found, "html")
    markdown = render_comparison(found, "md")
    terminal = printed(comparison_tables(found))
    for text in (html, markdown, terminal):
        assert f"{change.pass_1.value * 100:+.1f}" in text
        assert "base (base)" in text
        assert "trained (trained)" in text
        for task in change.gained:
            assert task in text
    assert "Cost against success" in html


def test_names_with_brackets_are_names_and_no_markup(tmp_path):
    folder = tmp_path / "run[v2]"
    suite = synthetic_suite({"retail": 2})
    synthetic_ledger(folder, suite=suite, skill=0.5, attempts=2, policy="hf:models[/a]")
    results = read_results(folder)
    assert "hf:models[/a] on synthetic" in printed(report_tables(results, summarise(results)))
    terminal = printed(comparison_tables(compare(results, results)))
    assert "hf:models[/a] (run[v2]) -> hf:models[/a] (run[v2])" in terminal


def test_other_campaigns_join_the_plot_of_cost(base, trained):
    found = compare(base, trained, [base])
    assert len(found.points) == 3
    assert "base (base)" in render_comparison(found, "html")


def test_different_suites_or_numbers_of_attempts_are_not_compared(base, tmp_path):
    other = synthetic_suite({"retail": 2})
    synthetic_ledger(tmp_path / "suite", suite=other, skill=0.5, attempts=4)
    with pytest.raises(UsageError, match="same tasks"):
        compare(base, read_results(tmp_path / "suite"))
    synthetic_ledger(tmp_path / "k", suite=base.campaign.suite, skill=0.5, attempts=3)
    with pytest.raises(UsageError, match="4 and 3 attempts"):
        compare(base, read_results(tmp_path / "k"))
    for other in ("suite", "k"):
        with pytest.raises(UsageError, match=r"the same tasks|at equal k"):
            compare(base, base, [read_results(tmp_path / other)])
        with pytest.raises(UsageError, match=r"the same tasks|at equal k"):
            cost_points(base, [read_results(tmp_path / other)])


def test_verdicts_with_and_without_rubrics_are_not_compared(tmp_path):
    suite = synthetic_suite({"retail": 2})
    found = {}
    for judge in ("endpoint", "skip"):
        campaign = Campaign(suite=suite, policy="made-up", attempts=2, judge=judge)
        ledger = Ledger.create(tmp_path / judge, campaign)
        with ledger.writer("run", 4) as writer:
            for episode in synthetic_episodes(campaign, synthetic_rates(suite, skill=0.5)):
                writer.add(episode)
        found[judge] = read_results(tmp_path / judge)
    with pytest.raises(UsageError, match="with rubrics and without"):
        compare(found["endpoint"], found["skip"])
    without = compare(found["skip"], found["skip"])
    assert "without rubrics" in printed(comparison_tables(without))
    for form in ("html", "md"):
        assert "Rubrics were left out of the verdicts" in render_comparison(without, form)


def test_a_comparison_with_no_change_has_no_interval_to_show(base):
    found = compare(base, base)
    html = render_comparison(found, "html")
    assert "+0.0 points</div>" in html
    assert html.count("95%: ") == 0
    assert html.count('class="change "') == 9
    for text in (html, render_comparison(found, "md"), printed(comparison_tables(found))):
        assert "McNemar's exact test: p = 1" in text


def test_one_test_has_one_p_value_in_every_report(base, trained):
    found = compare(base, trained)
    p = f"p = {found.overall.change.p_value:.2g}"
    for text in (
        render_comparison(found, "html"),
        render_comparison(found, "md"),
        printed(comparison_tables(found)),
    ):
        assert f"McNemar's exact test: {p}" in text


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (None, "n/a"),
        (0, "$0.00"),
        (0.000042, "$0.0000420"),
        (0.0034, "$0.00340"),
        (0.0449, "$0.0449"),
        (0.449, "$0.449"),
        (1, "$1.00"),
        (12.346, "$12.35"),
        (1234.5, "$1,234.50"),
    ],
)
def test_small_amounts_keep_three_digits(amount, text):
    assert money(amount, "USD") == text
    assert money(amount, "CHF") == (text if amount is None else f"{text[1:]} CHF")


def test_the_axis_of_cost_begins_at_nothing():
    svg = pareto([Point("cheap", 0.003, 0.6), Point("dear", 0.05, 0.7)], "USD")
    assert ">0.00</text>" in svg
    assert "\N{MINUS SIGN}" not in svg


def test_a_name_with_dollars_is_no_formula():
    assert "gpt $\\frac$ x" in pareto([Point("gpt $\\frac$ x", 1, 0.5)], "USD")


def test_the_pareto_front_is_what_nothing_beats_in_cost_and_success():
    cheap, good, best = Point("cheap", 1, 0.2), Point("good", 2, 0.5), Point("best", 4, 0.6)
    beaten = [Point("dear and bad", 3, 0.4), Point("as good, dearer", 2.5, 0.5)]
    assert pareto_front([best, *beaten, good, cheap]) == [cheap, good, best]
