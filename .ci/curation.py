#!/usr/bin/env python3
"""Orders the many methods of ObservationController on its documentation page.

curation.py GRAPH --write    writes Sources/SafeKVO/SafeKVO.docc/Extensions/ObservationController.md
curation.py GRAPH --check    fails if that would change it, or if a method belongs to no group

GRAPH is the symbol graph of SafeKVO. Overloads are told apart in links by a hash of their symbol, which nobody can write by hand.
"""
import collections
import json
import pathlib
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "Sources/SafeKVO/SafeKVO.docc/Extensions/ObservationController.md"
TYPE = "ObservationController"
HEAD = f"""# ``{TYPE}``

<!-- Written by .ci/curation.py. -->

## Omit the isolation and the source line

Leave `isolation:`, `fileID:` and `line:` out. The compiler fills in where the call was written and
which isolation it has.

## Topics
"""


def stable_hash(text):
    """What DocC adds to a link: FNV-1, 32 bits folded to 24, in base 36."""
    value = 2166136261
    for byte in text.encode():
        value = (value * 16777619) & 0xFFFFFFFF ^ byte
    value = (value >> 24) ^ (value & 0xFFFFFF)
    digits = ""
    while value:
        value, digit = divmod(value, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits


def group(symbol):
    name = symbol["names"]["title"]
    text = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
    base = name.split("(")[0]
    labels = name.partition("(")[2].rstrip(")").split(":")
    first = text.partition("(")[2]
    if symbol["kind"]["identifier"] == "swift.init":
        return "Create a controller"
    if symbol["kind"]["identifier"] == "swift.property":
        return "Inspect a controller"
    if base in ("unobserve", "unobserveEach", "unobserveAll", "invalidate", "pause", "resume"):
        return "Stop or pause observing"
    if base in ("changes", "values", "value", "events", "messages"):
        return "Take or await values"
    if base == "poll" or "Observable" in text.partition("where")[2].replace("KeyPathObservable", "").replace("ObservableSubject", ""):
        return "Poll, or observe @Observable"
    if first.startswith("_ center") or first.startswith("_ source"):
        return "Observe events"
    if base == "observeEach":
        return "Observe several key paths"
    if base in ("observe", "observeOnce", "onChange") and "KeyPath<" in first:
        return "Observe one key path"
    return None


ORDER = [
    "Create a controller", "Observe one key path", "Observe several key paths", "Observe events", "Take or await values",
    "Poll, or observe @Observable", "Stop or pause observing", "Inspect a controller",
]


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ("--write", "--check"):
        sys.stderr.write("usage: curation.py GRAPH --write | --check\n")
        return 64
    symbols = json.loads(pathlib.Path(sys.argv[1]).read_text())["symbols"]
    symbols = [s for s in symbols if s["pathComponents"][0] == TYPE and len(s["pathComponents"]) == 2]
    titles = collections.Counter(s["names"]["title"] for s in symbols)
    groups, strangers = collections.defaultdict(list), []
    for symbol in symbols:
        name = group(symbol)
        if name is None:
            strangers.append(symbol["names"]["title"])
            continue
        link = symbol["names"]["title"]
        if titles[link] > 1:
            link += "-" + stable_hash(symbol["identifier"]["precise"])
        place = symbol.get("location", {})
        rank = ["handler:" in link, "action:" in link].index(True) if "handler:" in link or "action:" in link else 2
        groups[name].append((rank, place.get("uri", ""), place.get("position", {}).get("line", 0), link))
    page = HEAD
    for name in ORDER:
        if groups[name]:
            page += f"\n### {name}\n\n" + "".join(f"- ``{link}``\n" for *_, link in sorted(groups[name]))
    for title in strangers:
        sys.stderr.write(f"curation: {title} belongs to no group\n")
    differs = not PAGE.exists() or PAGE.read_text() != page
    if sys.argv[2] == "--write":
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page)
    elif differs:
        sys.stderr.write("curation: the page is not what --write makes of the symbols\n")
    print(f"curation: {len(symbols)} symbols, {len([g for g in groups if groups[g]])} groups, {len(strangers)} of none")
    return bool(strangers) or not symbols or (sys.argv[2] == "--check" and differs)


sys.exit(main())
