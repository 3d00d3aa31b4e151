"""The compiled part: arguments are checked and explained by the modules around it."""

from typing import Any

__version__: str

class Scene:
    def __new__(cls, file: str, text: str, allow_outside: bool) -> Scene: ...
    @staticmethod
    def load(path: str, allow_outside: bool) -> Scene: ...
    def origin(self) -> tuple[str, str, bool, list[str]]: ...
    def fingerprint(self) -> str: ...
    def prepare(self, changed: dict[str, Any], objectives: list[str]) -> None: ...
    def details(self) -> dict[str, Any]: ...
    def run(self, changed: dict[str, Any], record: bool, balance: bool) -> tuple[dict[str, Any], dict[str, Any] | None]: ...
    def dense(self, changed: dict[str, Any]) -> Dense: ...
    def gradient(
        self, changed: dict[str, Any], objectives: list[str] | None, method: str, asked: tuple[bool, bool]
    ) -> dict[str, Any]: ...
    def hessian(self, changed: dict[str, Any]) -> dict[str, Any]: ...
    def check(self, changed: dict[str, Any]) -> dict[str, Any]: ...
    def optimize(
        self, changed: dict[str, Any], wanted: tuple[str | None, int | None, int | None], known: list[str]
    ) -> tuple[dict[str, Any], str]: ...
    def unfinished_starts(
        self, changed: dict[str, Any], wanted: tuple[str | None, int | None, int | None], known: list[str]
    ) -> list[tuple[int, list[float]]]: ...
    def start(
        self,
        changed: dict[str, Any],
        wanted: tuple[str | None, int | None, int | None],
        start: tuple[int, list[float]],
    ) -> str: ...

class Dense:
    def outputs(self, times: list[float]) -> list[bytes]: ...

def sweep(
    scene: Scene,
    changed: dict[str, Any],
    ranges: list[tuple[str, float, float]],
    points: tuple[int, int] | list[int] | list[list[float]],
    gradient: bool,
    threads: int | None,
) -> dict[str, Any]: ...
def jacobian(
    scene: Scene, changed: dict[str, Any], objectives: list[str], parameters: list[str]
) -> tuple[bytes, bytes]: ...
def render(
    scene: Scene,
    changed: dict[str, Any],
    out: str,
    shown: dict[str, Any],
    beside: list[list[tuple[str, float]]] | str,
) -> None: ...
def export(
    scene: Scene,
    changed: dict[str, Any],
    out: str,
    rate: tuple[float, float | None],
    span: tuple[float | None, float | None],
) -> dict[str, Any]: ...
def page(
    scene: Scene,
    changed: dict[str, Any],
    rate: tuple[float, float | None],
    span: tuple[float | None, float | None],
) -> str: ...
