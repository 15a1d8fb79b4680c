"""What has to be true after a term, whatever has happened in it."""

import json
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from server.league.accounts.accounts import Accounts
from server.league.submissions.versions import BUILD, LOGS, UPLOAD, Version, Versions
from tests.bench.term.people import Author, Person
from tests.bench.term.uploads import Upload

ONE_SENTENCE = 400
"""Characters that a reason has at most: longer ones are a log."""


def check_versions(data: Path, authors: Sequence[Author]) -> Counter[tuple[str, str]]:
    """Make sure that each version has ended as it should; return how many of each kind ended how."""
    ended: Counter[tuple[str, str]] = Counter()
    with closing(Accounts(data)) as accounts:
        versions = Versions(data, accounts)
        for author in authors:
            found = versions.of(author.name)[::-1]
            assert len(found) == len(author.sent), (author.name, len(found), len(author.sent))
            for version, upload in zip(found, author.sent, strict=True):
                _check_version(versions, version, upload)
                ended[upload.kind, version.state] += 1
            assert sum(version.state == "active" for version in found) <= 1
            for upload in author.turned_away:
                ended[upload.kind, "not taken"] += 1
    return ended


def _check_version(versions: Versions, version: Version, upload: Upload) -> None:
    folder = versions.folder(version)
    logs = "".join(path.read_text(errors="replace") for step in LOGS if (path := folder / f"{step}.txt").is_file())
    assert version.sha256 == sha256(upload.data).hexdigest(), version
    assert (folder / UPLOAD).read_bytes() == upload.data, version
    if upload.refused:
        assert version.state == "refused" and upload.refused in version.sentence, version
        assert "\n" not in version.sentence and len(version.sentence) < ONE_SENTENCE, version
        assert upload.log in logs, (version, logs)
    else:
        assert version.state in ("active", "retired") and not version.sentence, (version, logs[-2000:])
        assert (folder / BUILD).is_dir() and "0 FAIL" in logs, version


def check_final(report: dict[str, Any], authors: Sequence[Author], deadline: datetime) -> None:
    """Make sure that a final is over, with the version of each author that was the active one at the deadline."""
    assert report["state"] == "over", report["state"]
    assert report["done"] == sum(game["counts"] for game in report["games"]), "each game is over"
    assert {row["name"] for row in report["stages"][-1]["table"]} == {author.name for author in authors}
    chosen = {one["sentence"] for one in report["interventions"]}
    for author in authors:
        told = [one for one in author.versions() if datetime.fromisoformat(one["received"]) <= deadline]
        passed = [one for one in told if one["state"] in ("active", "retired")]
        sentence = f"version {passed[-1]['version']} plays as {author.name}, sent as a file with the SHA-256 "
        assert sentence + passed[-1]["sha256"] in chosen, (sentence, chosen)


def check_pages(people: Sequence[tuple[Person, Sequence[str]]]) -> list[float]:
    """Make sure that pages answer; return the milliseconds that each took, in order."""
    took = []
    for person, paths in people:
        for path in paths:
            began = time.perf_counter()
            page = person.ask("GET", path)
            took.append(1000 * (time.perf_counter() - began))
            assert page.status == 200, (person.name, path, page.status, page.text[-1000:])
    return sorted(took)


def read_report(data: Path) -> dict[str, Any]:
    """Return the report of the only contest; empty as long as there is none."""
    try:
        report: dict[str, Any] = json.loads((data / "contests" / "1" / "report.json").read_text())
    except (OSError, ValueError):
        return {}
    return report
