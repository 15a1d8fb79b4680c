"""Who is stronger, on the page: ratings, likelihoods of superiority, comparisons, and what beginning is worth."""

from server.contest.report import formatting
from server.contest.report.ratings_part import TEST
from server.contest.report.render.markup import Markup, element
from server.contest.report.render.parts import Column, paragraph, row, section, table
from server.contest.report.render.plot import rating_plot
from server.contest.report.structure import Comparison, Rating, Report, Variant


def ratings_section(ratings: tuple[Rating, ...]) -> Markup:
    """Return the plot of the ratings, and their table; there has to be somebody who is rated."""
    columns = [
        Column("#", "place"),
        Column("Name", "name"),
        Column("Elo", "strong"),
        Column("95 % interval"),
        Column("Games"),
    ]
    rows = [
        row(columns, [str(place), rating.name, formatting.elo(rating.elo), _interval(rating), str(rating.games)])
        for place, rating in enumerate(ratings, 1)
    ]
    explained = (
        "Maximum likelihood from all games between entrants, all stages together, with draws and the advantage of "
        "beginning taken into account. 0 is the average of all who have played; 400 Elo more make wins ten times as "
        "likely as losses. Bars are 95 % intervals."
    )
    return section(
        "ratings",
        "Ratings",
        paragraph(explained, kind="quiet"),
        element("div", rating_plot(ratings), class_="plot", tabindex=0, role="region", aria_label="Rating plot"),
        table("Ratings against the average of all who are rated", columns, rows, "narrow"),
    )


def superiority_section(report: Report) -> Markup:
    """Return the matrix of superiority, shaded by how likely it is."""
    names = [rating.name for rating in report.ratings]
    columns = [Column("#", "place"), Column("Stronger than", "name")]
    columns += [Column(str(place), title=name) for place, name in enumerate(names, 1)]
    rows = []
    for place, (name, likely) in enumerate(zip(names, report.superiority, strict=True), 1):
        made = [element("td", str(place), class_="place"), element("th", name, scope="row", class_="name")]
        made += [
            element("td", class_="self")
            if value is None
            else element("td", formatting.percent(value), class_=f"heat{int(10 * value)}")
            for value in likely
        ]
        rows.append(element("tr", made))
    caption = "How likely who stands in the row is stronger than who stands in the column"
    return section("superiority", "Likelihood of superiority", table(caption, columns, rows, "cross matrix"))


def comparisons_section(comparisons: tuple[Comparison, ...]) -> Markup:
    """Return the comparisons of two entrants each."""
    columns = [
        Column("Between", "name"),
        Column("Pairs", title="Pairs of games, both from the same opening with colours swapped"),
        Column("0 · ½ · 1 · 1½ · 2", title="How many pairs gave the first one so many points"),
        Column("Elo", "strong"),
        Column("95 %"),
        Column("Stronger", title="How likely the first one is the stronger"),
        Column("Test", title="Log-likelihood ratio of the sequential test"),
        Column("Verdict", "left"),
    ]
    rows = [
        row(
            columns,
            [
                f"{one.one} – {one.other}",
                str(sum(one.pairs)),
                " · ".join(map(str, one.pairs)),
                "–" if one.margin is None else formatting.elo(one.elo),
                "–" if one.margin is None else f"± {one.margin:.0f}",
                formatting.percent(one.los),
                formatting.signed(one.ratio, 2),
                f"{one.verdict} is stronger" if one.verdict else "open",
            ],
        )
        for one in comparisons
    ]
    explained = (
        "Elo of the first over the second from their pairs of games. The sequential test (SPRT) asks which of both is "
        f"the stronger, by {TEST.elo1:.0f} Elo, with 5 % of errors: the first one from "
        f"{formatting.signed(TEST.upper, 2)} on, the second one from {formatting.signed(TEST.lower, 2)} on. "
        "Pairs that all ended alike give no number."
    )
    return section(
        "comparisons",
        "Two against each other",
        paragraph(explained, kind="quiet"),
        table("Comparisons of two entrants", columns, rows),
    )


def variants_section(variants: tuple[Variant, ...]) -> Markup:
    """Return what is played, and what beginning is worth in it."""
    columns = [
        Column("Variant", "name"),
        Column("Openings"),
        Column("Games"),
        Column("Won by who began"),
        Column("Drawn"),
        Column("Won by the second"),
        Column("Beginning is worth", title="Advantage of beginning in Elo, by the model of the ratings"),
        Column("Draws of equals", title="How often equals would draw, by the model of the ratings"),
    ]
    rows = [
        row(
            columns,
            [
                one.name,
                str(one.openings),
                str(one.games),
                _share(one.first_wins, one.games),
                _share(one.draws, one.games),
                _share(one.second_wins, one.games),
                "–" if one.advantage is None else f"{formatting.elo(one.advantage)} Elo",
                "–" if one.drawn_by_equals is None else formatting.percent(one.drawn_by_equals),
            ],
        )
        for one in variants
    ]
    caption = "Games between entrants, and what beginning is worth in them"
    return section("variants", "Games played, and the advantage of beginning", table(caption, columns, rows))


def _interval(rating: Rating) -> str:
    """Write the interval of a rating."""
    if rating.low is None or rating.high is None:
        return "–"
    return f"{formatting.elo(rating.low)} to {formatting.elo(rating.high)}"


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.0f} %)" if whole else "–"
