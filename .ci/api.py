#!/usr/bin/env python3
"""Protects users who update: no public declaration of the version before goes without a word in CHANGELOG.md.

    api.py --write FILE GRAPH...   writes them, a line each, for the next version to compare with
    api.py FILE GRAPH...           fails if one of FILE is there no more and the part of CHANGELOG.md that is not released does not name it

A declaration is its path, with argument labels: `ObservationController.observe(_:_:options:)`. Generic parameters and types of arguments do not
count. What the compiler adds is left out, and what begins with an underscore.
"""

import json
import pathlib
import re
import sys

CHANGELOG = pathlib.Path(__file__).resolve().parent.parent / "CHANGELOG.md"


def declarations(graphs):
    """The declarations of the graphs. What a class inherits from a class of the library counts as its own, too."""
    found, classes, bases = set(), {}, []
    for graph in graphs:
        contents = json.loads(pathlib.Path(graph).read_text())
        for symbol in contents["symbols"]:
            names, identity = symbol["pathComponents"], symbol["identifier"]["precise"]
            classes[identity] = ".".join(names)
            added = "::SYNTHESIZED::" in identity or "location" not in symbol
            if not added and not any(name.startswith("_") for name in names):
                found.add(".".join(names))
        bases += [(link["source"], link["target"]) for link in contents["relationships"] if link["kind"] == "inheritsFrom"]
    for sub, base in bases:
        if sub in classes and base in classes:
            inherited = {name for name in found if name.startswith(classes[base] + ".")}
            found |= {classes[sub] + name.removeprefix(classes[base]) for name in inherited}
    return found


def main():
    writes = sys.argv[1] == "--write"
    path, graphs = (sys.argv[2], sys.argv[3:]) if writes else (sys.argv[1], sys.argv[2:])
    now = declarations(graphs)
    if not now:
        sys.exit("api: the graphs name no public declaration")
    if writes:
        pathlib.Path(path).write_text("\n".join(sorted(now)) + "\n")
        return
    before = set(pathlib.Path(path).read_text().split("\n")) - {""}
    told = CHANGELOG.read_text().split("\n## ")[1]
    words = set(re.findall(r"[A-Za-z_]\w*:?", " ".join(re.findall(r"`([^`]*)`", told))))
    silent = []
    for name in sorted(before - now):
        # The last name, or the type that went as a whole, and at least one of its labels where only those have changed.
        parts = [re.sub(r"\(.*", "", part) for part in name.split(".")]
        if not any(part in words for part in parts):
            silent.append(name)
    for name in silent:
        print(f"{name} is gone, and CHANGELOG.md does not say so", file=sys.stderr)
    print(f"api: {len(before)} declarations before, {len(now)} now, {len(before - now)} gone, {len(now - before)} new, {len(silent)} not told")
    sys.exit(bool(silent))


main()
