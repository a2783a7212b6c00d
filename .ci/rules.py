#!/usr/bin/env python3
"""Protects the rules of behavior from being promised only: each is named by a test.

Lists the rules that no test names.

    .ci/rules.py          status 1 if there is one
    .ci/rules.py --all    says of each rule how many tests name it

A test names its rules at the beginning of its title: "Rule 11a: …", "Rules 1-29, 47: …", "Rules 8 to 11, 14 and 30: …".
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Rules of the third edition that the library does not keep yet. Tests may name them, and need not. Move each to LETTERED with its tests.
COMING = {}
LETTERED = ["1a", "11a", "11b", "20a", "20b", "20c", "20d", "36a", "36b", "38a", "40a", "40b", "41a", "43a", "43b"]
RULES = [str(number) for number in range(1, 52)] + LETTERED
TITLE = re.compile(r'"Rules? ([0-9a-d, andto\-]+):')


def named(title):
    """The rules that the beginning of a title names. A range names the rules without letters in it, and only as a whole."""
    words = re.sub(r"\band\b", ",", title)
    for part in words.split(","):
        part = part.strip()
        if part and not re.search(r"-|to", part):
            yield part


def main():
    counts = dict.fromkeys([*RULES, *COMING], 0)
    unknown = set()
    for folder, _, files in os.walk(os.path.join(ROOT, "Tests")):
        if "/." in folder or "/Programs/Benchmarks" in folder:
            continue
        for file in files:
            if not file.endswith(".swift"):
                continue
            with open(os.path.join(folder, file), encoding="utf-8") as source:
                for match in TITLE.finditer(source.read()):
                    for rule in named(match[1]):
                        if rule in counts:
                            counts[rule] += 1
                        else:
                            unknown.add(f"{file}: {rule}")
    if "--all" in sys.argv:
        for rule in sorted(counts, key=lambda rule: (int(re.match(r"\d+", rule)[0]), rule)):
            print(f"{counts[rule]:4} {rule}")
    missing = [rule for rule in RULES if counts[rule] == 0]
    for rule in missing:
        print(f"no test names rule {rule}")
    for name in sorted(unknown):
        print(f"there is no such rule: {name}")
    coming = ", ".join(f"{rule} ({subject})" for rule, subject in COMING.items())
    print(f"rules: {len(RULES)}, {sum(counts.values())} titles, {len(missing)} without a test; to come: {coming or 'none'}")
    sys.exit(1 if missing or unknown or not sum(counts.values()) else 0)


main()
