"""An exported contest says all by itself what is true, and opening one that somebody forged does no harm."""

import io
import json
import random
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st
from inline_snapshot import snapshot
from inline_snapshot.extra import raises
from msgspec.structs import replace

from engine.games.catalogue import GAMES
from engine.games.interface import Outcome, Termination
from engine.match import referee
from engine.match.record import Header
from engine.match.signature import shown
from server.config.keys import public_half
from server.contest import export as exported
from server.contest.export import BadExport, export, pack, signed, unpack, verify_export
from server.contest.fixtures import Fixture, Intervention, Kind
from server.contest.report.structure import Verdict
from server.contest.runtime.adjudication import BY
from server.contest.store.store import FILE, Store
from tests.engine.records import Table
from tests.server.conftest import Run
from tests.server.contest.runtime.test_verify_process import CONTROL, DEFINITION, held, hold

__all__ = ["held"]

EVERY = ("manifest.json", "manifest.sig", "public.pem", "contest.json", "report.json")

Files = dict[str, bytes]


@pytest.fixture(scope="module")
def packed(held: Path) -> bytes:
    return export(held, 1)


@pytest.mark.slow
def test_an_export_is_verified_without_its_server(packed: bytes, held: Path) -> None:
    found = verify_export(packed)
    assert found.verdict == Verdict(8, 0, ())
    assert found.contest == "Autumn"
    assert found.key == shown(public_half(held))


@pytest.mark.slow
def test_versions_of_bots_stand_in_it_with_what_was_sent(held: Path, tmp_path: Path) -> None:
    data = shutil.copytree(held, tmp_path / "data")
    with closing(Store(data / FILE)) as store:
        row, name = store.contest(1), store.definition(1).entrants[0].name
        chosen = Intervention(1, row.opened, Kind.VERSION, name, None, ("secret",), -1, 0, "/place", 3, "ab" * 32)
        store.intervene(1, lambda _: chosen)
    made = export(data, 1)
    found = verify_export(made)
    assert found.verdict == Verdict(8, 0, ())
    assert found.entered == snapshot(
        (
            "version 3 plays as ann, sent as a file with the SHA-256 abababababababababababababababababababababababababababababababab",
        )
    )
    text = unpack(made)["contest.json"].decode()
    assert "secret" not in text and "/place" not in text


def _adjudicated(fixture: Fixture, number: int) -> str:
    """Return the record of a game that was adjudicated when both sides were ready."""
    position = GAMES["mnk"].read(DEFINITION.position(fixture))
    header = Header(number, position, fixture.players, CONTROL, 50, "test", "2026-11-22T12:00:00.000Z")
    table = Table(header=header).ready()
    outcome = Outcome(None, Termination.ADJUDICATED, f"neither side can force a win from here, {BY}")
    table.take(referee.end(table.state, outcome, table.after(1)))
    return table.text


def test_adjudicated_games_say_who_adjudicated_them(tmp_path: Path) -> None:
    hold(tmp_path, replace(DEFINITION, entrants=DEFINITION.entrants[:2]), _adjudicated)
    verdict = verify_export(export(tmp_path, 1)).verdict
    assert (verdict.games, verdict.trusted, verdict.differences) == (2, 0, ())
    assert len(verdict.unproven) == 2
    assert verdict.unproven[0] == snapshot(
        "match 1, ann against bob: neither side can force a win from here, adjudicated by the server's exact solver; the record has no proof"
    )


def _signed_again(files: Files, data: Path) -> bytes:
    """Return the archive with a signature that is true, of another key."""
    signature = (exported.MANIFEST, exported.SIGNATURE, exported.PUBLIC_KEY)
    return signed(data, "Autumn", {name: text for name, text in files.items() if name not in signature})


def _contest(old: str, new: str) -> Callable[[Files], None]:
    return _replace("contest.json", old, new)


def _replace(name: str, old: str, new: str) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        text = files[name].decode()
        assert old in text
        files[name] = text.replace(old, new, 1).encode()

    return change


FORGERIES = [
    ("a move", _replace("records/1.txt", " 9973.000 c1", " 9973.001 c1"), "match 1: the record is not true in line "),
    ("a record less", lambda files: files.pop("records/2.txt"), "match 2: its record is missing"),
    (
        "a record more",
        lambda files: files.update({"records/99.txt": files["records/1.txt"]}),
        "records/99.txt is of no game of the contest",
    ),
    ("a rating", _replace("report.json", '"elo": ', '"elo": 1'), "report.json: ratings[0].elo is "),
    ("a place", _replace("report.json", '"points": ', '"points": 1'), "report.json: stages[0].table[0].points is "),
    ("a sentence more", _replace("report.json", "{", "{\"note\": \"ann cheated\","), "report.json: note is \"ann cheated\""),
    ("an entrant", _contest('\\"carol\\"', '\\"carl\\"'), "there is no such game|has no result|by the records"),
]  # fmt: skip


@pytest.mark.parametrize(("forge", "sentence"), [rest for _, *rest in FORGERIES], ids=[name for name, *_ in FORGERIES])
def test_each_forgery_is_named_although_it_is_signed(
    packed: bytes, tmp_path: Path, forge: Callable[[Files], None], sentence: str
) -> None:
    files = unpack(packed)
    forge(files)
    found = verify_export(_signed_again(files, tmp_path)).verdict
    assert any(part in difference for difference in found.differences for part in sentence.split("|")), found


def test_what_was_changed_after_it_was_signed_is_named(packed: bytes) -> None:
    files = unpack(packed)
    _replace("records/1.txt", " 9973.000 c1", " 9973.001 c1")(files)
    found = verify_export(pack(files)).verdict
    assert found.differences[0] == snapshot("records/1.txt is not the file that was signed: its SHA-256 differs")
    _replace("manifest.json", "Autumn", "Spring")(files)
    with pytest.raises(BadExport) as caught:
        verify_export(pack(files))
    assert str(caught.value).replace(verify_export(packed).key, "KEY") == snapshot(
        "the signature is not true: manifest.json is not what the key KEY has signed"
    )


def test_a_file_that_was_not_signed_is_refused_and_one_that_is_missing(packed: bytes) -> None:
    files = unpack(packed)
    with raises(snapshot("BadExport: records/99.txt stands in the manifest or in the archive, and not in both")):
        verify_export(pack(files | {"records/99.txt": b"x"}))
    del files["records/1.txt"]
    with raises(snapshot("BadExport: records/1.txt stands in the manifest or in the archive, and not in both")):
        verify_export(pack(files))


def test_it_has_nothing_that_is_nobody_elses_business(packed: bytes) -> None:
    """Names of keys stand in the report; no token, command or folder does."""
    text = unpack(packed)["contest.json"].decode()
    definition = msgspec.json.decode(msgspec.json.decode(text)["definition"])
    assert not any(any(rest) for _, *rest in definition[2])


def _zip(*files: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in files:
            made.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            b"",
            snapshot(
                "BadExport: it is no zip archive as exports are: its end is missing, or something was added to it"
            ),
        ),
        (
            b"PK\x03\x04" + bytes(100),
            snapshot(
                "BadExport: it is no zip archive as exports are: its end is missing, or something was added to it"
            ),
        ),
        (
            _zip(("manifest.json", b"{}")) + b"more",
            snapshot(
                "BadExport: it is no zip archive as exports are: its end is missing, or something was added to it"
            ),
        ),
        (
            _zip(("../../etc/passwd", b"")),
            snapshot("BadExport: it has a file '../../etc/passwd', and no export has such a one, or has it twice"),
        ),
        (
            _zip(("records/1.txt", b""), ("records/2.txt", b"")).replace(b"2.txt", b"1.txt"),
            snapshot("BadExport: it has a file 'records/1.txt', and no export has such a one, or has it twice"),
        ),
        (_zip(("manifest.json", b"{}")), snapshot("BadExport: it is no exported contest: manifest.sig is missing")),
    ],
    ids=["nothing", "no end", "behind the end", "a path", "twice", "empty"],
)
def test_what_is_no_export_is_refused_in_a_sentence(data: bytes, sentence: str) -> None:
    with raises(sentence):
        verify_export(data)


def test_a_key_that_is_none_is_refused() -> None:
    with pytest.raises(BadExport, match=r"public\.pem"):  # with words of a library
        verify_export(_zip(*((name, b"x") for name in EVERY)))


def test_a_bomb_does_not_go_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exported, "MAX_UNPACKED", 100_000)
    with raises(snapshot("BadExport: unpacked it takes more than 100000 bytes")):
        unpack(_zip(("contest.json", bytes(10**7))))


@pytest.mark.parametrize(
    ("format", "sentence"),
    [
        (
            "round-robin",
            snapshot("BadExport: the contest would have up to 11999999988 games; 60000 fit into an export"),
        ),
        ("pairs", snapshot("BadExport: the contest would have up to 5999999994 games; 60000 fit into an export")),
    ],
)
def test_a_contest_of_too_many_games_is_refused(packed: bytes, tmp_path: Path, format: str, sentence: str) -> None:
    files = unpack(packed)
    _contest('[\\"round-robin\\",1]', f'[\\"{format}\\",999999999]')(files)
    with raises(sentence):
        verify_export(_signed_again(files, tmp_path))


def test_openssl_can_check_the_signature(packed: bytes, tmp_path: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl")
    for name, data in unpack(packed).items():
        if "/" not in name:
            (tmp_path / name).write_bytes(data)
    words = ("-inkey", "public.pem", "-rawin", "-in", "manifest.json", "-sigfile", "manifest.sig")
    subprocess.run([openssl, "pkeyutl", "-verify", "-pubin", *words], cwd=tmp_path, check=True, capture_output=True)


@pytest.mark.slow
def test_the_commands(held: Path, packed: bytes, run: Run) -> None:
    key = verify_export(packed).key
    assert run("contest", "export", "Autumn", "autumn.zip", "--data", str(held)).status == 0
    assert Path("autumn.zip").read_bytes() == packed
    assert run("verify", "autumn.zip", "--key", key).status == 0
    assert run("verify", "autumn.zip", "--key", key[::-1]).status == 1
    assert run("contest", "export", "Spring", "spring.zip", "--data", str(held)).status == 2


STRANGE: tuple[Any, ...] = (0, -1, 2**31, 2**62, 1.5, "", None, [], {}, "ann", "gipf", True, "forfeit", "2 2 2")


@pytest.mark.slow
@given(st.randoms(use_true_random=False), st.booleans())
def test_whatever_a_stranger_signs_is_refused_or_judged(
    packed: bytes, held: Path, chance: random.Random, in_definition: bool
) -> None:
    """A value of the contest, or of its definition, is another one or missing: nothing else is ever raised."""
    files = unpack(packed)
    contest = json.loads(files["contest.json"])
    if in_definition:
        definition = json.loads(contest["definition"])
        make_strange(definition, chance)
        contest["definition"] = json.dumps(definition)
    else:
        make_strange(contest, chance)
    files["contest.json"] = json.dumps(contest).encode()
    with suppress(BadExport):
        assert verify_export(_signed_again(files, held)).contest == "Autumn"


def make_strange(value: Any, chance: random.Random) -> None:
    """Change something somewhere within a list or an object."""
    while True:
        place = chance.choice(range(len(value)) if isinstance(value, list) else list(value))
        if not isinstance(value[place], list | dict) or not value[place] or chance.random() < 0.2:
            break
        value = value[place]
    if chance.random() < 0.2:
        del value[place]
    else:
        value[place] = chance.choice(STRANGE)
