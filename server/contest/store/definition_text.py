"""A contest's definition as text, and back: JSON, a `NamedTuple` being the list of its fields.

The organiser's interventions are no part of it: the store keeps them by themselves. Fields that are added behind the
others may be missing in texts of older versions. Any other change of a definition needs a step of
`server.contest.store.schema.MIGRATIONS`.
"""

from typing import Any, get_type_hints

import msgspec

from server.contest.definition import Definition, Format, Gauntlet, Knockout, Ladder, RoundRobin, Stage, Swiss

_FORMATS: dict[str, type[Format]] = {
    "round-robin": RoundRobin,
    "swiss": Swiss,
    "gauntlet": Gauntlet,
    "knockout": Knockout,
    "ladder": Ladder,
}

STORED = tuple(name for name in Definition._fields if name != "interventions")
"""The fields of a definition that stand in its text, in order."""


def encode(definition: Definition) -> str:
    """Return the text of a definition."""
    names = {kind: name for name, kind in _FORMATS.items()}
    stages = [(names[type(stage.format)], *stage) for stage in definition.stages]
    fields = definition._asdict() | {"stages": stages}
    return msgspec.json.encode([fields[name] for name in STORED]).decode()


def decode(text: str) -> Definition:
    """Return the definition that a text was made of; raises `msgspec.DecodeError` for any other."""
    values = msgspec.json.decode(text, type=list[Any])
    hints = get_type_hints(Definition)
    try:
        fields: dict[str, Any] = {
            name: _stages(value) if name == "stages" else msgspec.convert(value, hints[name])
            for name, value in zip(STORED, values, strict=False)
        }
        return Definition(**fields)
    except (TypeError, ValueError) as error:
        raise msgspec.DecodeError(f"this is no definition of a contest: {error}") from None


def _stages(values: Any) -> tuple[Stage, ...]:
    """Return stages; msgspec cannot tell the formats apart by itself."""
    hints = get_type_hints(Stage)
    stages = []
    for kind, format, *rest in msgspec.convert(values, list[list[Any]]):
        if kind not in _FORMATS:
            raise msgspec.DecodeError(f"{kind!r} is no format of a stage")
        others = [msgspec.convert(value, hints[name]) for name, value in zip(Stage._fields[1:], rest, strict=False)]
        stages.append(Stage(msgspec.convert(format, _FORMATS[kind]), *others))
    return tuple(stages)
