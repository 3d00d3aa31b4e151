"""The notebooks of the guide run as scripts."""

import json

import pytest

from conftest import ROOT

NOTEBOOKS = {"design": "scipy", "fitting": "numpy", "jax": "jax", "sweep": "distributed"}


def test_every_notebook_is_tried():
    assert {path.stem for path in (ROOT / "docs" / "notebooks").glob("*.ipynb")} == set(NOTEBOOKS)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs(name, monkeypatch, capsys):
    pytest.importorskip(NOTEBOOKS[name])
    folder = ROOT / "docs" / "notebooks"
    monkeypatch.chdir(folder)
    cells = json.loads((folder / f"{name}.ipynb").read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 2
    exec(compile("\n\n".join(code), f"{name}.ipynb", "exec"), {"__name__": "__notebook__"})
    assert capsys.readouterr().out
