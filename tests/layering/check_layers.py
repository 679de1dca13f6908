#!/usr/bin/env python3
"""Checks that includes point one way: check_layers.py ROOT

support < trace < {profiler, symexec, constraints, replay} < search < dsp < breakpoints < viz < cli: a room includes
itself and lower rooms, never a higher one or one beside it. Z3 is seen only by constraints/, LLVM only by profiler/pass/ and symexec/,
Graphviz only by viz/ (and by the tests and benchmarks of those). What is linked into the user's program includes C
headers and itself, nothing of libstdc++. Nobody includes "../". No two headers of rooms define a type of the same
name: a program that contains both would be undefined, and nobody would say so.

Prints one line per violation and exits with 1 if there is any.
"""
import re
import sys
from pathlib import Path

LEVELS = {"support": 0, "trace": 1, "profiler": 2, "symexec": 2, "constraints": 2, "replay": 2, "search": 3, "dsp": 4,
          "breakpoints": 5, "viz": 6, "cli": 7}
OUTSIDE_ROOMS = ["tests", "bench", "examples"]  # may include any room, and none may include them

# library: (its headers, the folders that may include them)
LIBRARIES = {
    "Z3": (re.compile(r"z3(\+\+|_\w+)?\.h$"), ["constraints/"]),
    "LLVM": (re.compile(r"(llvm|llvm-c|clang|clang-c|lld)/"), ["profiler/pass/", "symexec/"]),
    "Graphviz": (re.compile(r"(graphviz/.*|gvc\w*\.h|cgraph\.h|cdt\.h)$"), ["viz/"]),
}

# Linked into, or shared with, the user's program.
GUESTS = ["profiler/runtime/", "trace/format.h", "trace/control_protocol.h", "trace/sync_model.h", "trace/event_kind.h",
          "trace/strategies.h", "trace/signal_objects.h"]
CXX_HEADERS_THAT_LOOK_LIKE_C = {"cxxabi.h"}

SUFFIXES = {".h", ".hpp", ".c", ".cc", ".cpp", ".inc", ".def"}
NOT_CODE = re.compile(r'R"(\w*)\(.*?\)\1"|/\*.*?\*/', re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*(?:include|include_next|import)[ \t]*(\S[^\n]*)', re.MULTILINE)
TARGET = re.compile(r'([<"])([^>"]+)[>"]')


def includes(text):
    """(line, '<' or '"', target) of each include; the quote is None where the target is a macro."""
    blank = NOT_CODE.sub(lambda match: "\n" * match.group().count("\n"), text)
    for match in INCLUDE.finditer(blank):
        line = blank.count("\n", 0, match.start()) + 1
        target = TARGET.match(match.group(1))
        yield (line, target.group(1), target.group(2)) if target else (line, None, match.group(1))


def lies_in(path, places):
    return any(path == place or place.endswith("/") and path.startswith(place) for place in places)


def room_of(path):
    return path.split("/")[0]


def wrong_include(root, path, quote, target):
    """Why `path` must not include `target`, or None."""
    if quote is None:
        return f"includes through a macro ({target}), which cannot be checked"
    if target.startswith("../") or "/../" in target:
        return f'includes "{target}"; write it from the root of the tree'
    home = path.split("/", 1)[1] if room_of(path) in ("tests", "bench") else path
    for library, (headers, places) in LIBRARIES.items():
        if headers.match(target):
            return None if lies_in(home, places) else f"includes {library} ({target}); only {' and '.join(places)} may"
    sibling = path.rsplit("/", 1)[0] + "/" + target
    if quote == '"' and "/" not in target and (root / sibling).exists():
        target = sibling
    if lies_in(path, GUESTS):
        return wrong_for_guest(quote, target)
    if room_of(path) in LEVELS:
        return wrong_for_room(room_of(path), quote, target)
    return None


def wrong_for_guest(quote, target):
    if quote == '"' and not lies_in(target, GUESTS):
        return f'includes "{target}", which does not live in the user\'s program'
    if quote == "<" and (not target.endswith(".h") or target in CXX_HEADERS_THAT_LOOK_LIKE_C):
        return f"includes <{target}>; code in the user's program uses C headers only"
    return None


def wrong_for_room(room, quote, target):
    other = room_of(target)
    if other in LEVELS and "/" in target and other != room and LEVELS[other] >= LEVELS[room]:
        return f'includes "{target}"; {other} is not below {room}'
    if quote == '"' and (other not in LEVELS or "/" not in target):
        return f'includes "{target}"; write "room/file.h", or <> for a library'
    return None


def sources(root):
    for folder in [*LEVELS, *OUTSIDE_ROOMS]:
        yield from sorted(p for p in (root / folder).rglob("*") if p.suffix in SUFFIXES and p.is_file())


DEFINITION = re.compile(r"^(?:struct|class|enum class|union) (\w+)[^;{]*\{", re.MULTILINE)


def defined_twice(root):
    first = {}
    for source in sources(root):
        path = source.relative_to(root).as_posix()
        if source.suffix != ".h" or room_of(path) not in LEVELS or path.startswith("profiler/runtime/"):
            continue
        text = source.read_text(errors="replace")
        for match in DEFINITION.finditer(text):
            where = f"{path}:{text.count(chr(10), 0, match.start()) + 1}"
            if match.group(1) in first:
                yield f"{where}: {match.group(1)} is also defined at {first[match.group(1)]}"
            first.setdefault(match.group(1), where)


def violations(root):
    found = list(defined_twice(root))
    for source in sources(root):
        path = source.relative_to(root).as_posix()
        for line, quote, target in includes(source.read_text(errors="replace")):
            why = wrong_include(root, path, quote, target)
            if why:
                found.append(f"{path}:{line}: {why}")
    return found


def main():
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit("usage: check_layers.py ROOT")
    root = Path(sys.argv[1])
    count = sum(1 for _ in sources(root))
    if count == 0:
        sys.exit(f"{root}: no sources; is this the root of the tree?")
    found = violations(root)
    print("\n".join([*found, f"{count} files, {len(found)} violations"]))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
