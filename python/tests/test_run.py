"""Simulations from Python: numbers, arrays, changes."""

import json
import subprocess
from html.parser import HTMLParser

import numpy as np
import pytest

import costate
from conftest import BALL, SCENES


def test_a_ball_falls_and_bounces_in_closed_form(ball):
    run = ball.run()
    assert [(event.name, event.kind) for event in run.events] == [("floor", "impact"), ("floor", "impact")]
    assert np.allclose([event.t for event in run.events], [0.5, 1.0], atol=1e-12)
    later = run.at(0.75)
    assert abs(later["y"] - (2.5 * 0.25 - 5 * 0.25**2)) < 1e-10 and abs(later["vy"]) < 1e-9


def test_the_recording_has_both_sides_of_events(ball):
    run = ball.run()
    t, phase = run.t, run.phase
    assert t.shape == run["y"].shape == phase.shape == run.kinetic_energy.shape and t.dtype == np.float64
    assert list(np.unique(phase)) == [0, 1, 2] and (np.diff(phase) >= 0).all()
    both = np.flatnonzero(np.diff(phase))
    assert np.array_equal(t[both], t[both + 1])
    assert np.allclose(run["vy"][both[0] : both[0] + 2], [-5.0, 2.5])
    assert (t[0], t[-1]) == (0.0, 1.2) and run["y"][-1] == run.outputs["y"]
    total = run.kinetic_energy + run.potential_energy
    assert abs(total[0] - run.energy.initial) < 1e-9 and abs(total[-1] - run.energy.final) < 1e-9
    (given,) = run.energy_given.values()
    assert given.shape == t.shape and abs(given[0]) < 1e-12
    assert np.allclose(given, total - total[0], atol=1e-9)
    assert list(run) == ["y", "vy"] and len(run) == 2
    with pytest.raises(KeyError, match="no output 'z'"):
        run["z"]


def test_a_motion_without_events_is_one_piece(ball):
    run = ball.run(duration=0.4)
    assert run.events == [] and not run.phase.any() and run.phase.shape == run.t.shape


def test_any_time_is_read_from_the_interpolant(five_bar):
    run = five_bar.run()
    inner = np.concatenate([run.t[:1], run.t[np.diff(run.t, prepend=-1.0) > 0]])
    found = run.at(inner.reshape(1, -1))["y2"]
    assert found.shape == (1, len(inner))
    before = run.phase == run.phase
    first = np.flatnonzero(np.diff(run.t, prepend=-1.0) > 0)
    assert np.abs(found[0, 1:] - run["y2"][first][: len(inner) - 1]).max() < 1e-8 and before.all()
    with pytest.raises(costate.RequestError, match="outside the simulated time"):
        run.at(5.5)
    # A cubic through the recorded states would be off by far more between them.
    dense = five_bar.run(parameters={}, rtol=1e-12)
    times = np.linspace(0.01, 0.3, 7)
    step = 1e-4
    slope = (dense.at(times + step)["y2"] - dense.at(times - step)["y2"]) / (2 * step)
    assert np.abs(slope - dense.at(times)["vy2"]).max() < 1e-6


def test_changes_are_those_of_the_command_line(ball):
    assert abs(ball.run(height=5.0).events[0].t - 1.0) < 1e-10
    assert ball.run(parameters={"push off": 2.0}).objectives == ball.run(**{"push off": 2.0}).objectives
    assert ball.run(duration=0.4).events == [] and ball.run(g=20.0).events[0].t < 0.4
    assert ball.run(rtol=1e-5).objectives["area"] != ball.run(rtol=1e-11).objectives["area"]
    assert abs(ball.run(formulation="multipliers").objectives.area - ball.run().objectives.area) < 1e-8
    with pytest.raises(TypeError, match="given by keyword and in parameters"):
        ball.run(height=5.0, parameters={"height": 4.0})
    with pytest.raises(costate.Error, match="heigt"):
        ball.run(heigt=5.0)


def test_what_was_not_recorded_is_refused_by_name(ball):
    run = ball.run(record=False, balance=False)
    assert run.energy.balance is None and run.objectives.y == ball.run(balance=False).objectives.y
    with pytest.raises(ValueError, match="record=True"):
        run.t
    with pytest.raises(ValueError, match="record=True"):
        run["y"]


def test_tables_of_other_libraries_say_what_is_missing(ball, monkeypatch):
    import importlib

    real = importlib.import_module

    def missing(name, *rest):
        if name in ("pandas", "xarray"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", missing)
    run = ball.run()
    for convert, name in [(run.to_pandas, "pandas"), (run.to_xarray, "xarray")]:
        with pytest.raises(ImportError, match=f"pip install {name}"):
            convert()


def test_an_output_with_the_name_of_a_column_is_refused():
    pytest.importorskip("pandas")
    scene = costate.Scene(BALL.replace('"vy": "ball.vy"', '"phase": "ball.vy"'))
    with pytest.raises(ValueError, match="'phase'"):
        scene.run().to_pandas()


def test_a_table_has_the_outputs(ball):
    pandas = pytest.importorskip("pandas")
    run = ball.run()
    table = run.to_pandas()
    assert isinstance(table, pandas.DataFrame) and list(table) == ["t", "phase", "y", "vy"]
    assert np.array_equal(table["y"], run["y"])


def test_a_data_set_has_the_outputs(ball):
    pytest.importorskip("xarray")
    run = ball.run()
    data = run.to_xarray()
    assert np.array_equal(data["vy"], run["vy"]) and np.array_equal(data["phase"], run.phase)


def test_reports_read_back_from_their_text(ball):
    run = ball.run()
    assert json.loads(run.to_json()) == run.to_dict() == run.report
    assert type(run.to_dict()["energy"]) is dict
    with pytest.raises(AttributeError, match="it has scene, t_end"):
        run.report.nothing


@pytest.mark.parametrize("name", ["five_bar", "latch", "box_drop", "belt_oscillator", "heavy_top"])
def test_the_numbers_are_those_of_the_program(name, program):
    """Without a recording, as the program does without `--out`: interpolants take right-hand sides of their own."""
    path = SCENES / f"{name}.ron"
    wanted = json.loads(subprocess.run([program, "run", path, "--json", "--quiet"], capture_output=True, check=True).stdout)
    found = costate.Scene.load(path).run(record=False).to_dict()
    wanted["statistics"].pop("seconds"), found["statistics"].pop("seconds")
    assert found == wanted


def test_pictures_and_files(ball, tmp_path):
    ball.render(tmp_path / "ball.svg", at=[0.2, 0.4], labels=True, style="paper")
    assert (tmp_path / "ball.svg").read_text().startswith("<svg ")
    ball.render(tmp_path / "ball.pdf", at=0.5, centre=(0.0, 1.0), zoom=2)
    assert (tmp_path / "ball.pdf").read_bytes().startswith(b"%PDF")
    ball.render(tmp_path / "ball.svg", fps=5, speed=0.5)
    assert "<animate " in (tmp_path / "ball.svg").read_text()
    ball.render(tmp_path / "ball.svg", at=0.1, arrows="velocities", frames=True)
    assert " m/s</text>" in (tmp_path / "ball.svg").read_text()
    ball.render(tmp_path / "ball.svg", at=0.1, gradient=next(iter(ball.objectives)))
    assert "change of " in (tmp_path / "ball.svg").read_text()
    with pytest.raises(costate.RequestError, match="black lines"):
        ball.render(tmp_path / "ball.svg", style="paper", gradient=next(iter(ball.objectives)))
    with pytest.raises(costate.UsageError, match="arrows cannot be"):
        ball.render(tmp_path / "ball.svg", arrows=["weights"])
    for wrong in [{"path": tmp_path / "ball.pdf"}, {"path": tmp_path / "ball.svg", "at": 0.5}]:
        with pytest.raises(costate.RequestError, match="fps and speed"):
            ball.render(fps=5, **wrong)
    with pytest.raises(costate.GraphicsError, match="costate render"):
        ball.render(tmp_path / "ball.png")
    with pytest.raises(costate.RequestError, match="in space"):
        costate.Scene.load(SCENES / "box_drop.ron").render(tmp_path / "box.svg")
    with pytest.raises(costate.RequestError, match="outside the simulated time"):
        ball.render(tmp_path / "ball.svg", at=2.0)
    found = ball.export(tmp_path / "ball.csv", fps=10, start=0.1, end=0.9)
    assert found.files == [str(tmp_path / "ball.csv")] and found.states >= 9
    ball.export(tmp_path / "ball.glb")
    assert (tmp_path / "ball.glb").read_bytes()[:4] == b"glTF"
    page = ball.page(height=500)
    ball.export(tmp_path / "ball.html")
    assert page.html == (tmp_path / "ball.html").read_text(encoding="utf-8") and page.html.startswith("<!")
    page.save(tmp_path / "saved.html")
    assert (tmp_path / "saved.html").read_text(encoding="utf-8") == page.html
    frames = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: frames.append((tag, dict(attributes)))
    parser.feed(page._repr_html_())
    [(tag, framed)] = frames
    assert tag == "iframe" and framed["srcdoc"] == page.html and "500px" in framed["style"]
    with pytest.raises(costate.UsageError, match="end 0.1"):
        ball.export(tmp_path / "ball.csv", start=0.2, end=0.1)
    for wrong in [{"fps": 0.0}, {"fps": -25.0}, {"speed": 0.0}, {"speed": float("nan")}]:
        with pytest.raises(costate.UsageError, match=f"{next(iter(wrong))} cannot be"):
            ball.export(tmp_path / "ball.glb", **wrong)
    for wrong in [{"width": 0.0}, {"zoom": -1.0}, {"fps": 0.0}, {"speed": -1.0}, {"centre": (0.0, float("inf"))}]:
        with pytest.raises(costate.UsageError, match=f"{next(iter(wrong))} cannot be"):
            ball.render(tmp_path / "ball.svg", **wrong)


def test_other_motions_are_drawn_as_by_the_program(program, tmp_path):
    path = SCENES / "five_bar.ron"
    scene = costate.Scene.load(path)
    values, wanted, found = {"L01": 2.1, "k1": 90.0}, tmp_path / "wanted.svg", tmp_path / "found.svg"
    for options, asked in [
        (["--vary", "L01=2.2,2.1"], {"vary": {"L01": (2.1, 2.2)}}),
        (["--compare", "L01=2.1,k1=90"], {"compare": values}),
        (["--compare", path], {"compare": path, "parameters": values}),
    ]:
        changed = [f"--set={name}={value}" for name, value in asked.get("parameters", {}).items()]
        command = [program, "render", path, "--quiet", "--at=0.5", *options, *changed, "--out", wanted]
        subprocess.run(command, capture_output=True, check=True)
        scene.render(found, at=0.5, **asked)
        assert found.read_text() == wanted.read_text()
    with pytest.raises(TypeError, match="one parameter"):
        scene.render(found, vary={"L01": [2.1], "k1": [90.0]})
    with pytest.raises(TypeError, match="only one"):
        scene.render(found, vary={"L01": [2.1]}, compare=values)
    with pytest.raises(costate.RequestError, match="same `space`"):
        scene.render(found, compare=SCENES / "box_drop.ron")
    with pytest.raises(costate.Error, match="nothing"):
        scene.render(found, vary={"nothing": [1.0]})
