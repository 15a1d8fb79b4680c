"""The description of the interface as an OpenAPI 3.1 document, made from the types of the answers. Pure."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from server.web.api.operations import BASE, EVENTS, NDJSON, TEXT, Fault, Operation
from server.web.http.answers import JSON
from server.web.play.pictures import GIF, PNG, SVG

FAULT = "Why there is no answer, in one sentence"

REF = "#/components/schemas/{name}"


def document(operations: Iterable[Operation], version: str) -> dict[str, object]:
    """Return the OpenAPI document of operations."""
    operations = tuple(operations)
    types: list[Any] = [Fault]
    for operation in operations:
        types += [kind for kind in (operation.answer, operation.body) if kind is not None]
    schemas, components = msgspec.json.schema_components(types, ref_template=REF)
    schema_of = dict(zip(map(repr, types), schemas, strict=True))
    paths: dict[str, dict[str, object]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "gipf-arena",
            "version": version,
            "description": "Matches, records, positions and evaluations of this server. No token is needed.",
        },
        "servers": [{"url": BASE}],
        "paths": paths,
        "components": {"schemas": components},
    }


def _operation(operation: Operation, schema_of: Mapping[str, object]) -> dict[str, object]:
    schema = schema_of[repr(operation.answer)]
    note = {
        NDJSON: "; each line is JSON of this type",
        EVENTS: "; the data of each event is JSON of this type",
    }
    answer = {
        "description": operation.summary + note.get(operation.media_type, ""),
        "content": {
            operation.media_type: {
                "schema": {"type": "string"} if operation.media_type in (TEXT, SVG, PNG, GIF) else schema
            }
        },
    }
    fault = {"description": FAULT, "content": {JSON: {"schema": schema_of[repr(Fault)]}}}
    whole: dict[str, object] = {
        "operationId": name_of(operation),
        "summary": operation.summary,
        "parameters": [*_path_parameters(operation), *_query_parameters(operation)],
        "responses": {"200": answer, "default": fault},
    }
    if operation.body is not None:
        whole["requestBody"] = {"required": True, "content": {JSON: {"schema": schema_of[repr(operation.body)]}}}
    return whole


def name_of(operation: Operation) -> str:
    """Return the unique name of an operation, as clients that are generated from the document call it."""
    return "_".join([operation.method.lower(), *re.findall("[a-z]+", operation.path)])


def _path_parameters(operation: Operation) -> list[object]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "integer", "minimum": 0}}
        for name in re.findall(r"{(\w+)}", operation.path)
    ]


def _query_parameters(operation: Operation) -> list[object]:
    return [
        {"name": name, "in": "query", "description": meaning, "schema": {"type": "string"}}
        for name, meaning in operation.query
    ]
