"""What `help()` shows, and what type checkers are told."""

import inspect
import pathlib

import costate


def public():
    for name in costate.__all__:
        found = getattr(costate, name)
        yield name, found
        if inspect.isclass(found):
            for member, value in vars(found).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, (property, classmethod))):
                    yield f"{name}.{member}", value


def test_every_public_name_is_documented():
    missing = [name for name, found in public() if name != "__version__" and not inspect.getdoc(found)]
    assert missing == []


def test_every_public_function_has_types():
    for name, found in public():
        if inspect.isclass(found) or name == "__version__":
            continue
        function = found.fget if isinstance(found, property) else getattr(found, "__func__", found)
        signature = inspect.signature(function)
        untyped = [p.name for p in signature.parameters.values() if p.annotation is p.empty and p.name not in ("self", "cls")]
        assert not untyped and signature.return_annotation is not signature.empty, (name, untyped)


def test_the_types_are_shipped():
    assert (pathlib.Path(costate.__file__).parent / "py.typed").exists()


def test_importing_is_quick():
    import subprocess
    import sys

    command = [sys.executable, "-X", "importtime", "-c", "import numpy; import costate"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stderr.splitlines()
    (cumulative,) = [line.split("|")[1] for line in lines if line.split("|")[-1].strip() == "costate"]
    assert int(cumulative) < 500_000, "half a second, on whatever machine"


def test_the_examples_of_the_guide_run(monkeypatch, capsys):
    from conftest import ROOT

    monkeypatch.chdir(ROOT)
    blocks = (ROOT / "docs" / "python.md").read_text().split("```python\n")[1:]
    code = "\n".join(block.split("```")[0] for block in blocks)
    exec(compile(code, "docs/python.md", "exec"), {})
    shown = capsys.readouterr().out
    assert shown.startswith("100.0 N/m\n0.3") and "ground impact" in shown and "Planar" in shown
