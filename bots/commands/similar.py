"""``arena-bot similar``."""

import zipfile
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from bots.commands.options import POSITIVE, check_report_files, fail, print_line, write_report
from engine.commands.inputs import File
from engine.commands.usage_errors import explain_fault


def similar(
    *programs: Path,
    base: Annotated[tuple[Path, ...], Parameter(negative=())] = (),
    pairs: Annotated[int, Parameter(validator=POSITIVE)] = 20,
    json: File = None,
    html: File = None,
) -> None:
    """List which programs of a class resemble each other most, for people to look at: a list, never a verdict.

    Names, numbers, texts, comments and layout do not count, nor does the order of functions. Code that was handed out
    is left out: what arena-bot new makes, the examples, and --base.

    Parameters
    ----------
    programs
        A folder or zip file with a folder, zip or source file for each program; or several of these, one a program,
        also as NAME=FOLDER.
    base
        Folder, zip or source file of code that everybody was given; may be named several times.
    pairs
        Pairs to list at most.
    json
        File for the list with all places, as JSON; - is stdout, which then shows nothing else.
    html
        File for a page with the places side by side.
    """
    from bots.workbench.similarity import report
    from bots.workbench.similarity.comparison import fingerprint, handed_out, most_similar
    from bots.workbench.similarity.source_files import NoPrograms, read_program, read_programs
    from bots.workbench.similarity.tokens import MAX_SECONDS, ReadsTooLong

    check_report_files({"--json": json, "--html": html})
    if not programs:
        fail("no program is given: arena-bot similar FOLDER, with a folder or zip file for each program", 2)
    try:
        found = read_programs(programs)
        given = {f"{place}/{path}": text for place in base for path, text in read_program(place).files.items()}
    except NoPrograms as error:
        fail(str(error), 2)
    except (OSError, zipfile.BadZipFile) as error:
        fail(f"the programs cannot be read: {explain_fault(error)}", 2)
    if sum(bool(program.files) for program in found) < 2:
        fail("there are no two programs with source files: name a folder with a folder or zip file for each", 2)
    with as_file(files("bots")) as ours:
        try:
            known = handed_out({**_examples(ours), **given})
        except ReadsTooLong:
            fail(f"--base: the tokens of a file in it are not found in {MAX_SECONDS:g} s; leave it out", 2)
    prints = [fingerprint(program.name, program.files, known) for program in found]
    for program, read in zip(found, prints, strict=True):
        program.left_out += [f"{path}: its tokens are not found in {MAX_SECONDS:g} s" for path in read.unread]
    listed = most_similar(prints, pairs)
    if "-" not in (json, html):
        for line in report.as_text(listed, found):
            print_line(line)
    write_report("--json", json, lambda: report.as_json(listed, found))
    write_report("--html", html, lambda: report.as_html(listed, found))


def _examples(ours: Path) -> dict[str, str]:
    """Return what everybody has who has the distribution: the examples, the small bots, and new bots' tests."""
    from bots.workbench.new_bot import LANGUAGES, new_bot
    from bots.workbench.similarity.source_files import read_program
    from bots.workbench.similarity.tokens import is_source
    from engine.games.catalogue import USUAL_GAME

    made = {
        f"{language}/{path}": text
        for language in LANGUAGES
        for path, text in new_bot("bot", language, USUAL_GAME).items()
        if is_source(path)
    }
    bots = {path.name: path.read_text(encoding="utf-8") for path in sorted(ours.glob("*_bot.py"))}
    return {**made, **bots, **read_program(ours / "examples").files}
