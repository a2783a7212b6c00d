#!/usr/bin/env python3
"""Counts which folder of SafeKVO, or module beside it, names the types of which other, and fails where a layer names one above it.

A folder may name types of its own and of the layers below, and so may a module. Comments and the text of strings do not count; a type is found by its
name, so two types of one name in different folders are refused.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "Sources"
MODULES = ["SafeKVOFoundation"]
# From the bottom to the top.
LAYERS = ["Delivery", "Controller", "KeyValue", "Pull", "Observing", "Events", "Diagnostics"] + MODULES
DECLARATION = re.compile(r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:[a-z]+\s+)*(?:class|struct|enum|protocol|actor|typealias)\s+(_?[A-Z]\w*)", re.M)
STRING = re.compile(r'"""(.*?)"""|"((?:[^"\\\n]|\\.)*)"', re.S)
INTERPOLATION = re.compile(r"\\\(([^()]*(?:\([^()]*\))?[^()]*)\)")


def code(text):
    """A source without comments, and without what strings say."""
    text = re.sub(r"(?m)^\s*//.*$|\s//\s.*$", "", text)
    return STRING.sub(lambda match: " ".join(INTERPOLATION.findall(match.group(1) or match.group(2) or "")), text)


def layer(path):
    module, folder = path.relative_to(ROOT).parts[:2]
    return folder if module == "SafeKVO" else module


def main():
    height = {folder: index for index, folder in enumerate(LAYERS)}
    paths = [path for module in ["SafeKVO"] + MODULES for path in sorted((ROOT / module).rglob("*.swift"))]
    sources = {path: code(path.read_text()) for path in paths}
    problems, home = [], {}
    for path, text in sources.items():
        folder = layer(path)
        if folder not in height:
            problems.append(f"{path.name} is in no layer: {folder}")
        for name in DECLARATION.findall(text):
            if home.setdefault(name, folder) != folder:
                problems.append(f"{name} is declared in {home[name]} and in {folder}")
    if problems:
        sys.exit("layers: " + "\n".join(problems))
    mentions = collections.Counter()
    for path, text in sources.items():
        folder = layer(path)
        for name, count in collections.Counter(re.findall(r"\b_?[A-Z]\w*\b", text)).items():
            other = home.get(name, folder)
            if other == folder:
                continue
            mentions[folder, other] += count
            if height[other] >= height[folder]:
                problems.append(f"{path.relative_to(ROOT)} names {name} of {other}, {count} times")
    print(f"{'names':>18}" + "".join(f"{folder:>18}" for folder in LAYERS))
    for folder in LAYERS:
        print(f"{folder:>18}" + "".join(f"{mentions[folder, other] or '.':>18}" for other in LAYERS))
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"layers: {len(sources)} files, {len(home)} types, {len(problems)} wrong arrows")
    sys.exit(bool(problems) or not mentions)


main()
