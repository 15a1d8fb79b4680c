"""Versions are sent by a form and by arena-bot submit, and only their author and organisers see them."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from server.league.accounts import ORGANISER, Accounts
from tests.server.league.test_account_pages import Visitor, accounts, sign_in, site
from tests.server.league.test_submissions import SEALED, packed
from tests.server.process import run_program, wait_until
from tests.waiting import BUILD_SECONDS
from tests.web.asking import Answer
from tests.web.site import Site

pytestmark = SEALED

BOUNDARY = "----frontier"


__all__ = ["accounts", "site"]


def send(visitor: Visitor, bot: str, form: str, name: str, data: bytes) -> Answer:
    """Send a file as a browser does."""
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="form"\r\n\r\n{form}\r\n--{BOUNDARY}\r\n'
    head += f'Content-Disposition: form-data; name="file"; filename="{name}"\r\nContent-Type: application/zip\r\n\r\n'
    body = head + data.decode("latin-1") + f"\r\n--{BOUNDARY}--\r\n"
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    return visitor.ask("POST", f"/bots/{bot}/versions", body, **{"content-type": kind})


def ended(visitor: Visitor, path: str) -> Answer:
    """Look at a version until it is not under way any more, as the page does by itself."""
    wait_until(lambda: "every 3s" not in visitor.get(path).text, 0.2, BUILD_SECONDS)
    return visitor.get(path)


def submit(site: Site, path: Path, name: str, token: str) -> subprocess.CompletedProcess[str]:
    return bot_command(site, "submit", str(path), "--name", name, token=token)


def bot_command(site: Site, *words: str, token: str) -> subprocess.CompletedProcess[str]:
    return run_program("bots", *words, "--server", site.url, env={**os.environ, "ARENA_TOKEN": token})


@pytest.mark.slow
def test_a_version_is_sent_by_a_form_and_its_author_reads_why_it_was_refused(site: Site, accounts: Accounts) -> None:
    ann = sign_in(site, accounts, "ann")
    ann.post("/me/token", bot="ann-1", form=ann.get("/me").form)
    form = ann.get("/bots/ann-1").form
    page = send(ann, "ann-1", form, "bot.zip", packed({"bot.c": "int main( { <b>"}))
    assert (page.status, page.headers["location"]) == (303, "/bots/ann-1/versions/1")
    page = ended(ann, "/bots/ann-1/versions/1")
    assert "&lt;b&gt;" in page.text and "error" in page.text, "with what the compiler has said"
    assert "was refused" in ann.get("/bots/ann-1").text
    assert ann.post("/bots/ann-1/versions/1/play", form=form).status == 400
    page = ann.post("/bots/ann-1/versions/1/delete", form=form)
    assert (page.status, page.headers["location"]) == (303, "/bots/ann-1")
    assert "was deleted: the build" in ann.get("/bots/ann-1").text
    assert not (site.data / "submissions" / "ann-1" / "1").exists()
    assert ann.ask("POST", "/bots/ann-1/versions", "x", **{"content-type": "multipart/form-data"}).status == 400
    assert send(ann, "nobody", form, "bot.zip", b"x").status == 404
    other, teacher = sign_in(site, accounts, "bob"), sign_in(site, accounts, "teacher", ORGANISER)
    for path in ("/bots/ann-1", "/bots/ann-1/versions/1"):
        assert (other.get(path).status, teacher.get(path).status, Visitor(site).get(path).status) == (404, 200, 401)
    assert ann.get("/bots/ann-1/versions/2").status == 404


@pytest.mark.slow
def test_the_command_line_sends_a_folder_and_shows_what_becomes_of_it(
    site: Site, accounts: Accounts, tmp_path: Path
) -> None:
    carla = sign_in(site, accounts, "carla")
    token = carla.post("/me/token", bot="carla", form=carla.get("/me").form).secret
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "notes.txt").write_text("I have no bot")
    (folder / "ignored.bin").write_bytes(os.urandom(1000))
    (folder / ".gitignore").write_text("*.bin\n")
    done = submit(site, folder, "carla", token)
    assert done.returncode == 1 and "-- refused: " in done.stdout
    sent = site.data / "submissions" / "carla" / "1" / "build"
    assert sorted(path.name for path in sent.iterdir()) == [".gitignore", "notes.txt"]
    done = bot_command(site, "versions", "--name", "carla", "--delete", "1", token=token)
    assert done.returncode == 0 and "bot.zip  deleted: " in done.stdout, done.stderr
    assert not sent.parent.exists()
    told = Visitor(site, accept="application/json", authorization=f"Bearer {token}").get("/bots/carla/versions/1")
    assert json.loads(told.text)["state"] == "deleted"
    assert Visitor(site, authorization=f"Bearer {token}").get("/bots/ann-1/versions/1").status == 403
