#!/usr/bin/env python3
"""Protects users who update, from a declaration that goes without a word in CHANGELOG.md; and those who learn, from a core that grows.

    api.py --write FILE GRAPH...   writes them, a line each, for the next version to compare with
    api.py FILE GRAPH...           fails if one of FILE is there no more and the part of CHANGELOG.md that is not released does not name it,
                                   or if a module has more public symbols than it may have

A declaration that has moved to another module is still there.

A declaration is its path, with argument labels: `ObservationController.observe(_:_:options:)`. Generic parameters and types of arguments do not
count. What the compiler adds is left out, and what begins with an underscore.

The symbols of a module are what its documentation lists: types, their members, cases, global functions and operators, and members that the module
adds to types of other modules. Each overload is one symbol. Inherited members and conformances are left out, as above.
"""

import collections
import json
import pathlib
import re
import sys

# What the core has today; the goal is 350.
MOST_SYMBOLS = {"SafeKVO": 388}
CHANGELOG = pathlib.Path(__file__).resolve().parent.parent / "CHANGELOG.md"


def declarations(graphs):
    """The declarations of the graphs, and the number of symbols of each module.

    What a class inherits from a class of the library is a declaration of its own, too, and no symbol.
    """
    found, classes, bases, symbols = set(), {}, [], collections.Counter()
    for graph in graphs:
        # The graph of what a module adds to another one is called `Module@Other.symbols.json`.
        module = pathlib.Path(graph).name.split(".")[0].split("@")[0]
        contents = json.loads(pathlib.Path(graph).read_text())
        for symbol in contents["symbols"]:
            names, identity = symbol["pathComponents"], symbol["identifier"]["precise"]
            classes[identity] = ".".join(names)
            added = "::SYNTHESIZED::" in identity or "location" not in symbol or symbol["kind"]["identifier"] == "swift.extension"
            if not added and not any(name.startswith("_") for name in names):
                found.add(".".join(names))
                symbols[module] += 1
        bases += [(link["source"], link["target"]) for link in contents["relationships"] if link["kind"] == "inheritsFrom"]
    for sub, base in bases:
        if sub in classes and base in classes:
            inherited = {name for name in found if name.startswith(classes[base] + ".")}
            found |= {classes[sub] + name.removeprefix(classes[base]) for name in inherited}
    return found, symbols


def main():
    writes = sys.argv[1] == "--write"
    path, graphs = (sys.argv[2], sys.argv[3:]) if writes else (sys.argv[1], sys.argv[2:])
    now, symbols = declarations(graphs)
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
    large = []
    for module, count in sorted(symbols.items()):
        most = MOST_SYMBOLS.get(module, count)
        print(f"api: {module}: {count} public symbols" + (f", of {most} at most" if module in MOST_SYMBOLS else ""))
        if count > most:
            large.append(module)
            print(f"{module} has {count - most} public symbols too many", file=sys.stderr)
    sys.exit(bool(silent or large))


main()
