"""Reports: one page with everything that is computed of a scene."""

import json
import subprocess

import pytest

import costate
from conftest import BALL, SCENES


def titles(report):
    return [section.title for section in report.sections]


def test_a_report_is_the_page_of_the_program(program, tmp_path):
    file = SCENES / "bouncing_ball_fit.ron"
    mine, other = tmp_path / "mine.html", tmp_path / "other.html"
    found = costate.Scene.load(file).report(mine, vary={"e": (0.74, 0.76, 3)}, starts=2, fps=20)
    options = ["--vary", "e=0.74:0.76:3", "--starts", "2", "--fps", "20", "--quiet", "--json"]
    command = [program, "report", file, "--out", other, *options]
    printed = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert titles(found) == ["Run", "Certificate", "Optimization", "Sweep"]
    assert found.sections == printed["sections"] and set(found) == set(printed)
    assert found.file == str(mine) and found.scene == printed["scene"] and found.statistics.seconds > 0.0
    assert mine.read_text() == other.read_text()


def test_parts_are_left_out_and_values_changed(ball, tmp_path):
    page = tmp_path / "ball.html"
    found = ball.report(page, without=["certificate", "gradient"], height=2.0, duration=0.5)
    assert titles(found) == ["Run"] and all(section.status == "ok" for section in found.sections)
    points = [{"e": 0.4}, {"e": 0.6}]
    found = ball.report(page, without=("certificate", "gradient", "run"), vary=points)
    assert titles(found) == ["Sweep"] and "2 points computed." in page.read_text()
    found = ball.report(page, without="certificate", vary={"e": (0.4, 0.6)}, sample=3, seed=1)
    assert titles(found) == ["Run", "Sweep"] and "3 points computed." in page.read_text()


def test_what_cannot_be_computed_is_a_section_that_says_why(tmp_path):
    short = costate.Scene(BALL.replace("duration: 1.2", "duration: 1.2, max_steps: 3"))
    found = short.report(tmp_path / "short.html", without="certificate")
    (run,) = found.sections
    assert (run.title, run.status) == ("Run", "failed") and "3 steps" in run.reason
    assert run.reason in json.loads(json.dumps((tmp_path / "short.html").read_text()))


def test_requests_that_make_no_sense_are_refused(ball, tmp_path):
    with pytest.raises(costate.UsageError, match="`path` a name that ends with .html"):
        ball.report(tmp_path / "ball.csv")
    with pytest.raises(costate.UsageError, match="did you mean `sweep`"):
        ball.report(tmp_path / "ball.html", without="sweeep")
    with pytest.raises(TypeError, match="varied and given one value as well: e"):
        ball.report(tmp_path / "ball.html", vary={"e": (0.4, 0.6, 3)}, e=0.5)
    with pytest.raises(TypeError, match="a sample needs vary"):
        ball.report(tmp_path / "ball.html", sample=3)
    with pytest.raises(costate.UsageError, match="no parameter `nothing` to vary"):
        ball.report(tmp_path / "ball.html", vary={"nothing": (0.4, 0.6, 3)})
    assert list(tmp_path.iterdir()) == []


def test_the_time_that_is_allowed_ends_it(endless, tmp_path):
    found = endless.report(tmp_path / "endless.html", fps=0.001, max_time=0.2)
    assert {section.status for section in found.sections} == {"failed"}
    assert "interrupted" in found.sections[0].reason
