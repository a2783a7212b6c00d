#!/usr/bin/env python3
"""Protects the order of the folders in SafeKVO: no layer uses a type or a member of one above it.

layers.py [--store STORE]: counts which folder of the module SafeKVO uses which other; fails where a layer uses one above it.

Used are the types and the members that the compiler's index says, those of extensions too: a function belongs to the folder of the file that
declares it. Build before; STORE is the index of that build.
"""
import argparse
import collections
import pathlib
import sys

from index import DEFINITION, REFERENCE, Index

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "Sources/SafeKVO"
# From the bottom to the top.
LAYERS = ["Delivery", "Controller", "KeyValue", "Pull", "Observing", "Diagnostics"]
# Whatever happens is logged where it happens.
USED_BY_ALL = {"DiagnosticsHook.swift"}


def layer(path):
    return path.relative_to(SOURCES).parts[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--store", type=pathlib.Path, default=ROOT / ".build/debug/index/store")
    index = Index(parser.parse_args().store)
    files = index.occurrences(SOURCES)
    height = {folder: index for index, folder in enumerate(LAYERS)}
    problems = [f"{path.name} is in no layer: {layer(path)}" for path in files if layer(path) not in height]
    homes = {path: found for path, found in files.items() if path.name not in USED_BY_ALL}
    home = {name: layer(path) for path, found in homes.items() for roles, name, *_ in found if roles & DEFINITION}
    uses, wrong = collections.Counter(), {}
    for path, found in files.items():
        folder = layer(path)
        for roles, name, short, line in found:
            other = home.get(name, folder)
            if other == folder or not roles & REFERENCE:
                continue
            uses[folder, other] += 1
            if height[other] >= height[folder]:
                wrong.setdefault((path, line), f"{path.relative_to(ROOT)}:{line} uses {short} of {other}")
    print(f"{'uses':>18}" + "".join(f"{folder:>18}" for folder in LAYERS))
    for folder in LAYERS:
        print(f"{folder:>18}" + "".join(f"{uses[folder, other] or '.':>18}" for other in LAYERS))
    problems += [wrong[place] for place in sorted(wrong)]
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"layers: {len(files)} files, {len(home)} symbols, {len(problems)} wrong arrows")
    return bool(problems) or not uses


sys.exit(main())
