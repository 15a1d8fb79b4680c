"""The bracket of a knockout on the page: a list of rounds, each of meetings; the style sheet joins these by lines.

The page of a contest in the browser (``server/web/static/bracket.js``) makes the same elements of the same data.
"""

from server.contest.report import formatting
from server.contest.report.render.markup import Child, Markup, element
from server.contest.report.render.parts import box, game_id
from server.contest.report.structure import Meeting, Stage


def bracket_list(stage: Stage, linked: bool) -> Markup:
    """Return the bracket of a stage, with links to the games if the page lists them."""
    rounds = [
        element(
            "li",
            element("h3", round.name),
            element("ol", [element("li", _meeting(one, linked)) for one in round.meetings]),
            class_="round",
        )
        for round in stage.bracket
    ]
    return box(f"Bracket of stage {stage.number}", element("ol", rounds, class_="bracket"))


def _meeting(meeting: Meeting, linked: bool) -> Markup:
    games: list[Child] = []
    for number in meeting.games if linked else ():
        games += [" ", element("a", str(number), href=f"#{game_id(number)}")]
    return element(
        "div",
        _side(meeting, 0),
        _side(meeting, 1),
        element("p", "Game" if len(meeting.games) == 1 else "Games", games, class_="played") if games else None,
        class_="pair",
    )


def _side(meeting: Meeting, side: int) -> Markup:
    name = meeting.players[side]
    if name is None:
        return element("p", "bye" if meeting.bye else "open", class_="side nobody")
    wins = meeting.winner == side
    return element(
        "p",
        element("span", name, class_="who", title=name),
        element("span", formatting.points(meeting.points[side]), class_="score") if meeting.games else None,
        element("span", "won", class_="mark") if wins else None,
        class_="side on" if wins else "side" if meeting.winner is None else "side out",
    )
