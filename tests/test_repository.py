"""Checks of the repository as a whole."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("engine", "server", "bots")


@pytest.mark.parametrize("name", PACKAGES)
def test_generic_package_names_are_those_of_this_checkout(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__file__ is not None
    assert Path(module.__file__).resolve() == ROOT / name / "__init__.py"


def test_constraints_are_exact_and_name_no_addresses() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) > 20
    for line in lines:
        assert re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][A-Za-z0-9.]*", line), line
