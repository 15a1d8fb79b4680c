"""People of a term, who know the commands and pages that the documents name, and nothing else of the server."""

import http.client
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from tests.bench.term.uploads import Upload
from tests.server.league.test_account_pages import Page, Visitor
from tests.server.league.test_version_pages import bot_command, send
from tests.web.site import Site

T = TypeVar("T")

PATIENCE_SECONDS = 900.0
"""For so long people try again while the server is away."""

RETRY_SECONDS = 0.5


def command(package: str, *words: str, folder: Path | None = None) -> str:
    """Run a command of the server or of bots, which has to succeed, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", package, *words], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def persist(ask: Callable[[], T]) -> T:
    """Ask the server until it is there."""
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return ask()
        except (OSError, http.client.HTTPException):
            assert time.monotonic() < end, "the server does not come back"
            time.sleep(RETRY_SECONDS)


class Person(Visitor):
    """Somebody with an account, whose browser asks again while the server is away."""

    def __init__(self, site: Site, name: str, link: str) -> None:
        super().__init__(site)
        self.name = name
        path = link.removeprefix(site.url)
        assert name in self.get(path).text, "a look at a link does not open it"
        assert self.post(path).status == 303

    def ask(self, method: str, path: str, body: str | None = None, **headers: str) -> Page:
        return persist(lambda: Visitor.ask(self, method, path, body, **headers))

    @property
    def form(self) -> str:
        """What this person's forms are signed by."""
        return self.get("/me").form


class Organiser(Person):
    """The organiser, whose first link comes from the command line."""

    def __init__(self, site: Site) -> None:
        words = ("people", "invite", "teacher", "--role", "organiser", "--data", str(site.data), "--url", site.url)
        found = re.search(r"http\S+", command("server", *words))
        assert found is not None
        super().__init__(site, "teacher", found[0])

    def invite(self, names: list[str]) -> dict[str, str]:
        """Invite people on the page, and return their links."""
        page = self.post("/people/invite", names=" ".join(names), role="author", form=self.form)
        links = re.findall(r"/join/[\w-]+", page.text)
        assert len(links) == len(names), page.text
        return dict(zip(names, links, strict=True))

    def open_contest(self, text: str) -> None:
        """Try a contest on the page, and begin it."""
        page = self.post("/organise/new", text=text, do="check", form=self.form)
        assert "It can begin" in page.text, page.text
        page = self.post("/organise/new", text=text, do="begin", form=self.form)
        assert page.status == 303, page.text

    def announce(self, text: str) -> None:
        """Tell everybody something."""
        command("server", "announce", text, "--data", str(self.site.data))


class Author(Person):
    """An author with one bot of the same name."""

    def __init__(self, site: Site, name: str, link: str, folder: Path) -> None:
        super().__init__(site, name, link)
        self.token = self.post("/me/token", bot=name, form=self.form).secret
        self.folder = folder
        self.sent: list[Upload] = []
        """Its versions, from the first one on."""
        self.turned_away: list[Upload] = []
        """What was refused as it was sent."""
        folder.mkdir()

    def versions(self) -> list[dict[str, Any]]:
        """Return the versions as `arena-bot versions` is told them, from the first one on."""

        def ask() -> list[dict[str, Any]]:
            bearer = Visitor(self.site, accept="application/json", authorization=f"Bearer {self.token}")
            page = bearer.get(f"/bots/{self.name}/versions")
            assert page.status == 200, page.text
            return list(json.loads(page.text)["versions"])[::-1]

        return persist(ask)

    def submit(self, upload: Upload, *, by_form: bool) -> None:
        """Send an upload, again while the server is away; whoever is not answered looks whether it has come."""
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            said = self._send_by_form(upload) if by_form else self._send_by_command(upload)
            if upload.at_the_door and upload.refused in said:
                self.turned_away.append(upload)
                return
            if len(self.versions()) > len(self.sent):
                assert not upload.at_the_door
                self.sent.append(upload)
                return
            assert time.monotonic() < end, said
            time.sleep(RETRY_SECONDS)

    def _send_by_command(self, upload: Upload) -> str:
        file = self.folder / upload.file
        file.write_bytes(upload.data)
        return bot_command(self.site, "submit", str(file), "--name", self.name, "--detach", token=self.token).stderr

    def _send_by_form(self, upload: Upload) -> str:
        form = self.get(f"/bots/{self.name}").form
        try:
            return _words(send(_Impatient(self), self.name, form, upload.file, upload.data).text)
        except (OSError, http.client.HTTPException) as error:
            return str(error)


class _Impatient(Visitor):
    """The browser of somebody, which asks once."""

    def __init__(self, person: Person) -> None:
        super().__init__(person.site)
        self.cookie = person.cookie


def _words(page: str) -> str:
    return " ".join(re.sub("<[^>]*>", " ", page).split())
