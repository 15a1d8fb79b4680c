"""Tablebases to be downloaded: which there are, with checksums, whole or in parts, and within bounds."""

import hashlib
import os
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.solve.layered.store import COLUMNS
from engine.solve.tablebase import making, shipped
from server.config.limits import Limits
from server.web.assets import documents
from server.web.atlas import downloads
from server.web.atlas.downloads import Downloads, Span, span_of
from server.web.atlas.routes import AtlasRoutes
from server.web.http.client_quota import ClientQuota, HttpRateLimiter
from server.web.http.errors import Refused
from server.web.http.listener import QUOTA, STREAM
from tests.web.asking import Answer, ask

VALUES = bytes(range(256)) * 1000


def application() -> ASGIApp:
    """The routes, compressed as on a server, for one address whose clock stands."""
    quota = HttpRateLimiter(Limits(), 10, lambda: 0).enter("10.0.0.1")

    async def refused(_request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        return JSONResponse({"error": str(error)}, error.status)

    packing = Middleware(GZipMiddleware, minimum_size=100)
    inner = Starlette(routes=AtlasRoutes().routes(), exception_handlers={Refused: refused}, middleware=[packing])

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        scope[QUOTA] = quota
        await inner(scope, receive, send)

    return app


def get(path: str, method: str = "GET", place: str = "tables", **headers: str) -> Answer:
    sent = {name.replace("_", "-"): text for name, text in headers.items()}
    return trio.run(lambda: ask(application(), method, f"/api/atlas/{place}{path}", headers=sent))


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a tablebase that somebody has made some time ago."""
    monkeypatch.setenv(making.GIVEN, str(tmp_path))
    (tmp_path / "gipf_3_3.layers").write_bytes(VALUES)
    line = (4, 3, 100, 60, 40, 17, 500, "0.1", zlib.crc32(VALUES))
    journal = ("\t".join(map(str, words)) for words in (COLUMNS, line))
    (tmp_path / "gipf_3_3.journal").write_text("\n".join([*journal, "4\t4\t1"]), encoding="utf-8")
    for path in tmp_path.iterdir():
        os.utime(path, (1_700_000_000, 1_700_000_000))
    (tmp_path / "notes.txt").write_text("of somebody else")
    return tmp_path


def test_what_there_is_is_listed_with_checksums(made: Path) -> None:
    found: Any = get("").json
    assert found["format"] == making.FORMAT
    (table,) = found["tables"]
    journal = (made / "gipf_3_3.journal").read_bytes()
    assert (table["size"], table["run"]) == (3, 3)
    assert table["layers"] == [{"mine": 4, "theirs": 3, "positions": 100, "won": 60, "lost": 40, "longest": 17}]
    assert table["files"] == [
        {"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in (("gipf_3_3.layers", VALUES), ("gipf_3_3.journal", journal))
    ]


def test_a_file_comes_whole_or_in_parts_and_is_never_compressed(made: Path) -> None:
    whole = get("/gipf_3_3.layers", accept_encoding="gzip")
    assert (whole.status, whole.body) == (200, VALUES)
    assert (get("/gipf_3_3.layers", "HEAD").status, get("/gipf_3_3.layers", "HEAD").body) == (200, b"")
    part = get("/gipf_3_3.layers", range="bytes=70000-70009")
    assert (part.status, part.body) == (206, VALUES[70000:70010])
    tag = f'"{hashlib.sha256(VALUES).hexdigest()}"'
    assert get("/gipf_3_3.layers", range="bytes=255990-", if_range=tag).body == VALUES[-10:]
    assert get("/gipf_3_3.layers", range="bytes=255990-", if_range='"other"').body == VALUES
    past = get("/gipf_3_3.layers", range="bytes=256000-")
    assert past.status == 416 and "has 256000 bytes" in past.json["error"]


@pytest.mark.parametrize(
    ("asked", "span"),
    [
        ("", Span(0, 10)),
        ("bytes=0-3", Span(0, 4)),
        ("bytes=4-", Span(4, 10)),
        ("bytes=-3", Span(7, 10)),
        ("bytes=2-99", Span(2, 10)),
        ("bytes=-99", Span(0, 10)),
        ("bytes=0-1,4-5", Span(0, 10)),
        ("lines=1-2", Span(0, 10)),
        ("bytes=-", Span(0, 10)),
    ],
)
def test_a_part_is_what_the_header_says(asked: str, span: Span) -> None:
    assert span_of(asked, 10) == span


@pytest.mark.parametrize("name", ["gipf_3_4.layers", "notes.txt", "..%2fnotes.txt", "gipf_3_3.xz"])
def test_nothing_else_of_the_directory_is_given_out(made: Path, name: str) -> None:
    answer = get(f"/{name}")
    assert answer.status == 404
    assert answer.json["error"].startswith("there is no tablebase") or "%" in name


def test_what_is_being_written_has_no_checksum_yet(made: Path) -> None:
    os.utime(made / "gipf_3_3.layers")
    (table,) = get("").json["tables"]
    assert [file["sha256"] is None for file in table["files"]] == [True, False]
    refused = get("/gipf_3_3.layers")
    assert refused.status == 503 and "is being written" in refused.json["error"]


def test_what_belongs_to_the_distribution_is_there_without_being_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(making.GIVEN)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = get("").json["tables"]
    assert [(table["size"], table["run"]) for table in found] == [(2, run) for run in shipped.RUNS]
    (file,) = found[0]["files"]
    data = get(f"/{file['name']}").body
    assert len(data) == file["bytes"] and hashlib.sha256(data).hexdigest() == file["sha256"]


def test_an_address_has_so_many_downloads_at_a_time(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "AT_A_TIME_OF_ONE", 1)
    limiter = HttpRateLimiter(Limits(), 10, lambda: 0)
    one, other = (limiter.enter(host) for host in ("10.0.0.1", "10.0.0.2"))
    assert one is not None and other is not None
    running = Downloads()
    with running.counted(one):
        with pytest.raises(Refused, match="1 to an address"), running.counted(one):
            pass
        with running.counted(other):
            pass
    with running.counted(one):
        pass


def test_each_piece_is_charged_to_the_address_and_waits_for_its_turn(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = [0.25, None, 0.0, 0.5, 0.0]
    slept: list[float] = []
    monkeypatch.setattr(ClientQuota, "wait", lambda _quota: waits.pop(0))

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("server.web.atlas.downloads.trio.sleep", sleep)
    assert get("/gipf_3_3.layers").body == VALUES  # four pieces
    assert (waits, slept) == ([], [0.25, 1, 0.0, 0.5, 0.0])


def test_a_browser_is_cut_off_that_takes_longer_than_it_may(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "PATIENCE", 0.0)
    monkeypatch.setattr(downloads, "LEAST_PACE", 10_000_000)
    monkeypatch.setattr(ClientQuota, "wait", lambda _quota: 3600.0)
    cut: list[bool] = []
    stream = SimpleNamespace(cut=lambda: cut.append(True))
    trio.run(lambda: ask(application(), "GET", "/api/atlas/tables/gipf_3_3.layers", state={STREAM: stream}))
    assert cut == [True]


def test_the_format_and_the_probes_can_be_had_beside_the_tables() -> None:
    folder = Path(making.__file__).parent / "format"
    page = (Path(documents.__file__).parent / "pages" / "atlas.html").read_text(encoding="utf-8")
    for name in ("README.md", "probe.py", "probe.c"):
        answer = get(f"/{name}", place="format")
        assert answer.status == 200 and answer.body == (folder / name).read_bytes()
        assert f'href="/api/atlas/format/{name}"' in page
    assert get("/making.py", place="format").status == 404
