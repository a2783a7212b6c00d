#!/usr/bin/env python3
"""Protects readers of the documentation from rows that are cut off in the sidebar, and from declarations wider than their box.

rows.py GRAPH: makes the rows of the documentation's sidebar and lists short, in place.

A row of a function shows its name without the parameters that most calls leave out: "observe(_:_:options:handler:)" instead of
"func observe<Object, Value>(Object?, …". A declaration that is too wide for its box continues on a new line.
"""
import json
import pathlib
import sys

LEFT_OUT = {"isolation", "fileID", "line", "tag", "ifAlreadyObserved", "removing", "onTermination"}
FUNCTIONS = {"swift.func", "swift.init", "swift.method", "swift.type.method"}
WIDTH = 78


def spelled(fragments):
    return "".join(fragment["spelling"] for fragment in fragments)


def row(symbol):
    base, _, labels = symbol["names"]["title"].rstrip(")").partition("(")
    kept = [label + ":" for label in labels.split(":")[:-1] if label not in LEFT_OUT]
    return [{"kind": "identifier", "spelling": base}, {"kind": "text", "spelling": f"({''.join(kept)})"}]


def divide(fragments):
    """Begins a line at the constraints, then at the parameter, until no line is too wide."""
    for kinds, spelling, start in (("keyword",), "where", "\n"), (("externalParam", "internalParam"), None, "\n    "):
        lines = spelled(fragments).replace("@discardableResult ", "").split("\n")
        if max(map(len, lines)) <= WIDTH:
            return
        for fragment in fragments:
            if fragment["kind"] in kinds and spelling in (None, fragment["spelling"]):
                fragment["spelling"] = start + fragment["spelling"]
                break


def main():
    if len(sys.argv) != 2:
        sys.stderr.write("usage: rows.py GRAPH\n")
        return 64
    path = pathlib.Path(sys.argv[1])
    graph = json.loads(path.read_text())
    rows = 0
    for symbol in graph["symbols"]:
        if symbol["kind"]["identifier"] in FUNCTIONS:
            symbol["names"]["subHeading"] = row(symbol)
            rows += 1
        # DocC gives each parameter a line if there are several.
        if len(symbol.get("functionSignature", {}).get("parameters", [])) < 2:
            divide(symbol["declarationFragments"])
    path.write_text(json.dumps(graph))
    print(f"rows: {rows} functions named")
    return 0 if rows else 1


sys.exit(main())
