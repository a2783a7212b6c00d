#!/usr/bin/env python3
"""Protects memory from whatever safe code can write: no public function is left out of the suite that misuses them all.

surface.py [--store STORE] GRAPH...: fails if a public function is called nowhere in Tests/SafeSurfaceTests.

Public is what the symbol graphs say: every function, method, operator, initialiser and subscript that is declared in Sources. Left out is
what the compiler adds: what a type inherits (its symbol says ::SYNTHESIZED::), and what is derived and stands in no file (it has no location).
Called is what the compiler's index says of the suite: there is no list to keep. Build the tests before; STORE is the index of that build.
"""
import argparse
import json
import pathlib
import sys

from index import REFERENCE, Index

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUITE = ROOT / "Tests/SafeSurfaceTests"
KINDS = {"swift.func", "swift.method", "swift.type.method", "swift.func.op", "swift.init", "swift.subscript"}


def public_functions(graphs):
    """The symbols of the graphs that must be called, with their names."""
    found = {}
    for graph in graphs:
        for symbol in json.loads(graph.read_text())["symbols"]:
            name = symbol["identifier"]["precise"]
            if symbol["kind"]["identifier"] in KINDS and "::SYNTHESIZED::" not in name and "location" in symbol:
                found[name] = symbol
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--store", type=pathlib.Path, default=ROOT / ".build/debug/index/store")
    parser.add_argument("graphs", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    functions = public_functions(arguments.graphs)
    used = {name for found in Index(arguments.store).occurrences(SUITE).values() for roles, name, *_ in found if roles & REFERENCE}
    uncovered = [symbol for name, symbol in functions.items() if name not in used]
    for symbol in uncovered:
        place = symbol["location"]
        path = place["uri"].removeprefix("file://").removeprefix(f"{ROOT}/")
        declaration = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
        sys.stderr.write(f"{path}:{place['position']['line'] + 1}: {'.'.join(symbol['pathComponents'])} is not covered\n    {declaration}\n")
    print(f"surface: {len(functions)} public functions, {len(uncovered)} not covered by SafeSurfaceTests")
    return bool(uncovered) or not functions


sys.exit(main())
