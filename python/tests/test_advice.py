"""Advice names the arguments of Python, not the options of the program."""

import inspect
import re

import pytest

import costate
from conftest import BALL, ROOT
from costate._errors import _named_as_here


def test_advice_names_arguments(endless, five_bar, tmp_path):
    with pytest.raises(costate.Interrupted) as caught:
        endless.run(record=False, max_time=0.05)
    assert caught.value.advice == "allow more time with `max_time`"
    with pytest.raises(costate.RequestError, match='`formulation="nullspace"`'):
        five_bar.hessian(formulation="penalty")
    with pytest.raises(costate.RequestError) as caught:
        five_bar.export(tmp_path / "motion.csv", fps=1000, speed=1e-6)
    assert "a smaller `fps`, a larger `speed` or a shorter `duration`" in caught.value.advice
    (tmp_path / "file").write_text("")
    with pytest.raises(costate.FileError, match="`path`"):
        five_bar.export(tmp_path / "file" / "motion.csv")


def test_files_outside_are_allowed_by_an_argument(tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "table.csv").write_text("t,y\n0,1\n1,2\n")
    fit = 'both": Formula("y + 2 * area"), "fit": Fit(data: "../table.csv", time: "t", columns: {"y": "y"})'
    text = BALL.replace('both": Formula("y + 2 * area")', fit)
    with pytest.raises(costate.Error) as caught:
        costate.Scene(text, folder=tmp_path / "inside")
    assert "`allow_outside=True`" in caught.value.advice


def test_commands_of_the_program_stay_as_they_are(five_bar, tmp_path):
    with pytest.raises(costate.GraphicsError, match="costate render SCENE --out FILE"):
        five_bar.render(tmp_path / "a.png")


# What no call from Python leads to: checkpoints of the program and shards of its sweeps.
FOREIGN = {"resume", "shard"}


def test_every_option_in_advice_has_an_argument():
    sources = [path for room in ("crates", "src") for path in (ROOT / room).rglob("*.rs")]
    sources = [path for path in sources if not {"cli", "tests", "viewer"} & set(path.parts)]
    if not sources:
        pytest.skip("the sources are not beside the tests")
    calls = [costate.Scene, *(found for _, found in inspect.getmembers(costate.Scene, inspect.isfunction)), costate.sweep]
    known = {name for call in calls for name in inspect.signature(call).parameters}
    known |= {"rtol", "atol", "duration", "formulation", "case", "max_time", "memory"}
    found = set()
    for path in sources:
        for text in re.findall(r'"[^"\n]*--[a-z][^"\n]*"', re.sub("(?m)//.*$", "", path.read_text())):
            advice = _named_as_here(text)
            found |= {re.split(r"[=(]", name)[0] for name in re.findall(r"`([^`]*)`", advice)} if advice != text else set()
    assert {"max_time", "fps", "allow_outside", "path"} <= found
    assert found - known - FOREIGN - {"gradient"} == set()
