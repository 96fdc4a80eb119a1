"""Starts Parley and reads what it wrote."""

from __future__ import annotations

import csv
import gzip
import json
import os
import subprocess
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Union

Path = Union[str, "os.PathLike[str]"]


class Failed(Exception):
    """Parley ended with an error, which is one sentence."""


class Rows:
    """Rows of a file, as dicts. frame() returns them as a DataFrame."""

    def __init__(self, read: Callable[[], Iterator[Dict[str, Any]]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return self._read()

    def frame(self) -> Any:
        """All rows as a pandas.DataFrame; needs pandas."""
        try:
            import pandas
        except ImportError:
            raise Failed("frame() needs pandas, which is not installed: install it, or iterate over the rows") from None
        return pandas.DataFrame.from_records(list(self._read()))


def _call(program: Optional[str], args: Sequence[str], text: Optional[str] = None) -> str:
    name = program or os.environ.get("PARLEY", "parley")
    try:
        done = subprocess.run([name, *args], input=text, capture_output=True, encoding="utf-8")
    except FileNotFoundError:
        raise Failed(f"there is no program {name!r}: build it with make, and put bin on the PATH or its path into PARLEY") from None
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise Failed(lines[-1] if lines else f"parley ended with exit status {done.returncode}")
    return done.stdout


def run(
    scenario: Union[Path, Dict[str, Any]],
    *,
    trace: Sequence[Path] = (),
    set: Optional[Dict[str, Any]] = None,
    until: Optional[str] = None,
    seed: Optional[int] = None,
    scheduler: Optional[str] = None,
    out: Optional[Path] = None,
    events: Optional[Path] = None,
    program: Optional[str] = None,
) -> Dict[str, Any]:
    """Plays a scenario (a file, an id of the gallery, a link or a dict) and returns its report."""
    args: List[str] = ["run", "-" if isinstance(scenario, dict) else os.fspath(scenario), "--json"]
    for file in trace:
        args += ["--trace", os.fspath(file)]
    for path, value in (set or {}).items():
        args += ["--set", f"{path}={value if isinstance(value, str) else json.dumps(value)}"]
    for flag, value in (("--until", until), ("--seed", seed), ("--scheduler", scheduler), ("--out", out), ("--events", events)):
        if value is not None:
            args += [flag, str(value)]
    report: Dict[str, Any] = json.loads(_call(program, args, json.dumps(scenario) if isinstance(scenario, dict) else None))
    return report


def sweep(document: Union[Path, Dict[str, Any]], out: Path, *, program: Optional[str] = None) -> Dict[str, Any]:
    """Plays a sweep into a folder, or goes on where it stopped, and returns its table."""
    name = os.fspath(document) if not isinstance(document, dict) else ""
    if isinstance(document, dict):
        os.makedirs(out, exist_ok=True)
        name = os.path.join(os.fspath(out), "document.json")
        with open(name, "w", encoding="utf-8") as file:
            json.dump(document, file)
    table: Dict[str, Any] = json.loads(_call(program, ["sweep", name, "--out", os.path.join(os.fspath(out), "results"), "--json"]))
    return table


def _number(text: str) -> Any:
    for form in (int, float):
        try:
            return form(text)
        except ValueError:
            pass
    return {"true": True, "false": False, "": None}.get(text, text)


def jobs(folder: Path) -> Rows:
    """The jobs of a run with --out: a row a job, with the columns of jobs.csv."""

    def read() -> Iterator[Dict[str, Any]]:
        with open(os.path.join(os.fspath(folder), "jobs.csv"), encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield {name: _number(text) for name, text in row.items()}

    return Rows(read)


def events(file: Path) -> Rows:
    """The events of a run with --events: a row an event, as docs/events.md describes them."""

    def read() -> Iterator[Dict[str, Any]]:
        name = os.fspath(file)
        with gzip.open(name, "rt", encoding="utf-8") if name.endswith(".gz") else open(name, encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)

    return Rows(read)
