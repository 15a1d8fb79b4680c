"""The stages on the page: standings, crosstables, and the qualification."""

from server.contest.report import formatting
from server.contest.report.render.bracket import bracket_list
from server.contest.report.render.markup import Child, Markup, element
from server.contest.report.render.parts import Column, game_id, paragraph, row, section, table
from server.contest.report.structure import Cell, Line, Qualification, Stage
from server.contest.report.tie_breaks import marks, with_forfeits

MAX_CROSSED = 60
"""Most entrants whose crosstable is drawn: a wider one is not read by anybody, the games are listed all the same."""


def stage_section(stage: Stage, title: str, done: str, linked: bool) -> Markup:
    """Return a stage; ``done`` says how far it is, and ``linked`` whether the page lists the games."""
    return section(
        f"stage-{stage.number}",
        title,
        paragraph(f"{stage.format} · {stage.time} · {done}", kind="quiet"),
        bracket_list(stage, linked) if stage.bracket else None,
        standings_table(stage),
        None if stage.bracket else crosstable(stage, linked),
    )


def standings_table(stage: Stage) -> Markup:
    """Return the table of a stage with the tie-breaks that its format knows."""
    ranked_by = marks(stage.kind)
    columns = [Column("#", "place"), Column("Name", "name")]
    columns += [Column(mark.head, "" if place else "strong", mark.explained) for place, mark in enumerate(ranked_by)]
    columns += [
        Column("Won"),
        Column("Drawn"),
        Column("Lost"),
        Column("Began", title="Games in which it began, of those that were played"),
        Column("Time used", title="In all games together"),
        Column("Longest", title="Most time used in one game"),
        Column("On time", title="Games lost on time"),
    ]
    rows = []
    for line in stage.table:
        cells: list[Child] = [str(line.place), line.name, *[mark.text(line) for mark in ranked_by]]
        cells += [
            with_forfeits(line.wins, line.forfeits_won),
            str(line.draws),
            with_forfeits(line.losses, line.forfeits_lost),
            f"{line.firsts} of {line.games}",
            formatting.time_used(line.used),
            formatting.time_used(line.longest),
            str(line.time_losses or "–"),
        ]
        rows.append(row(columns, cells, "out" if line.disqualified else None))
    caption = f"Standings of stage {stage.number}"
    if any(line.forfeits_won or line.forfeits_lost for line in stage.table):
        caption += "; behind a plus, games that were not played"
    parts: list[Child] = [table(caption, columns, rows, "standings")]
    out = [f"{line.name}: {line.disqualified}" for line in stage.table if line.disqualified]
    if out:
        parts.append(paragraph(f"Disqualified: {'; '.join(out)}.", kind="small"))
    if stage.byes:
        byes = ", ".join(f"{bye.name} in round {bye.round}" for bye in stage.byes)
        parts.append(paragraph(f"Byes: {byes}.", kind="small"))
    return element("div", parts)


def crosstable(stage: Stage, linked: bool) -> Child:
    """Return what everybody has reached against everybody, each entry a link to its games if the page lists them."""
    if len(stage.table) > MAX_CROSSED:
        return paragraph(f"The crosstable is left out: there are more than {MAX_CROSSED} entrants.", kind="quiet")
    games = {game for cells in stage.crosstable for cell in cells if cell is not None for game in cell.games}
    if not games:
        return None
    columns = [Column("#", "place"), Column("Against", "name")]
    columns += [Column(str(number), title=line.name) for number, line in enumerate(stage.table, 1)]
    rows = []
    for number, (line, cells) in enumerate(zip(stage.table, stage.crosstable, strict=True)):
        made = [element("td", str(number + 1), class_="place"), element("th", line.name, scope="row", class_="name")]
        for other, cell in enumerate(cells):
            if other == number:
                made.append(element("td", class_="self"))
            else:
                made.append(_cell(cell, line, stage.table[other], linked))
        rows.append(element("tr", made, class_="out" if line.disqualified else None))
    caption = f"Crosstable of stage {stage.number}: points of the row against the column"
    if linked:
        caption += ", each a link to the games"
    return table(caption, columns, rows, "cross")


def qualification_section(qualification: Qualification) -> Markup:
    """Return what the qualification has shown."""
    columns = [
        Column("Name", "name"),
        Column("Games"),
        Column("Left"),
        Column("Won"),
        Column("Drawn"),
        Column("Lost"),
        Column("On time", title="Games lost on time"),
        Column("Bad moves", title="Games lost by a move that was illegal or could not be read"),
        Column("Verdict", "words"),
    ]
    rows = []
    for line in qualification.table:
        numbers = [line.games, line.left, line.wins, line.draws, line.losses, line.late, line.bad_moves]
        verdict = f"disqualified: {line.disqualified}" if line.disqualified else "open" if line.left else "qualified"
        rows.append(row(columns, [line.name, *map(str, numbers), verdict], "out" if line.disqualified else None))
    opponents = ", ".join(qualification.opponents)
    return section(
        "qualification",
        "Qualification",
        paragraph(f"Against {opponents} · {qualification.time} · points do not matter", kind="quiet"),
        table("What each entrant has shown in the qualification", columns, rows),
    )


def _cell(cell: Cell | None, line: Line, other: Line, linked: bool) -> Markup:
    if cell is None:
        return element("td")
    total = len(cell.games)
    kind = "win" if cell.points > total / 2 else "loss" if cell.points < total / 2 else None
    shown = formatting.points(cell.points)
    if linked:
        told = f"{line.name} against {other.name}: {shown} of {formatting.number(total, 'game')}"
        link = f"#{game_id(cell.games[0])}"
        points = element("a", shown, href=link, class_=kind, title=told, aria_label=told)
    else:
        points = element("b", shown, class_=kind)
    return element("td", points, element("span", f"of {total}"))
