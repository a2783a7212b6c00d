#!/usr/bin/env python3
"""Protects public types from being hard to find: each is on the landing page of its module.

topics.py GRAPH PAGE: fails if the landing page leaves out a public type of the symbol graph.
"""
import json
import pathlib
import sys

symbols = json.loads(pathlib.Path(sys.argv[1]).read_text())["symbols"]
names = sorted({s["pathComponents"][0] for s in symbols if len(s["pathComponents"]) == 1})
page = pathlib.Path(sys.argv[2]).read_text()
missing = [name for name in names if f"- ``{name}``" not in page]
for name in missing:
    sys.stderr.write(f"topics: {sys.argv[2]} does not list ``{name}``\n")
print(f"topics: {len(names)} public types, {len(missing)} not listed")
sys.exit(bool(missing) or not names)
