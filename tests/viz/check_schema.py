#!/usr/bin/env python3
"""Checks dsp.json files against the published schema: check_schema.py SCHEMA KINDS FILE...

KINDS is trace/event_kind.h: the schema must list the same kinds of events. Each file must be valid, and must become
invalid when any of its fields is taken away, gets another type, or has a stranger beside it: a schema that accepts
everything would prove nothing.
"""
import copy
import json
import re
import sys
from pathlib import Path

import jsonschema

# Fields that may be absent.
OPTIONAL = {"alternateValue"}


def objects(value, path=()):
    """(path, object) of every object in a document."""
    if isinstance(value, dict):
        yield path, value
    for key, child in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from objects(child, (*path, key))


def at(document, path):
    for key in path:
        document = document[key]
    return document


def damaged(document):
    """(what was done, the document after it), one per kind of object in the document."""
    seen = set()
    for path, fields in objects(document):
        shape = tuple(key for key in path if isinstance(key, str))
        if shape in seen:
            continue
        seen.add(shape)
        for field in fields:
            if field not in OPTIONAL:
                without = copy.deepcopy(document)
                del at(without, path)[field]
                yield f"without {'/'.join(map(str, (*path, field)))}", without
            other = copy.deepcopy(document)
            at(other, path)[field] = {"another": "type"}
            yield f"another type of {'/'.join(map(str, (*path, field)))}", other
        more = copy.deepcopy(document)
        at(more, path)["stranger"] = {}
        yield f"a stranger in {'/'.join(map(str, path)) or 'the document'}", more


def main(schema_file, kinds_file, files):
    schema = json.loads(Path(schema_file).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    troubles = []
    kinds = re.findall(r'X\(\w+, \d+, "([\w-]+)"\)', Path(kinds_file).read_text())
    if kinds != schema["$defs"]["event"]["properties"]["kind"]["enum"]:
        troubles.append(f"{schema_file}: the kinds of events are not those of {kinds_file}")
    if not files:
        troubles.append("no files to check")
    for name in files:
        document = json.loads(Path(name).read_text())
        for error in validator.iter_errors(document):
            troubles.append(f"{name}: {error.json_path}: {error.message}")
        troubles += [f"{name}: still valid {what}" for what, bad in damaged(document) if validator.is_valid(bad)]
    print(*troubles, sep="\n")
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
