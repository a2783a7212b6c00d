#!/usr/bin/env python3
"""Protects readers of the documentation of the controllers: each method is on the page, in its group, also an inherited one.

curation.py GRAPH --write    writes a page of Sources/SafeKVO/SafeKVO.docc/Extensions for each kind of controller
curation.py GRAPH --check    fails if that would change one, or if a method belongs to no group

GRAPH is the symbol graph of SafeKVO. Overloads are told apart in links by a hash of their symbol, which nobody can write by hand.
"""
import collections
import json
import pathlib
import sys

PAGES = pathlib.Path(__file__).resolve().parent.parent / "Sources/SafeKVO/SafeKVO.docc/Extensions"
BASE = "ObservationControllerBase"
HEADS = {
    "ObservationController": """## Omit the isolation and the source line

Leave `isolation:`, `fileID:` and `line:` out. The compiler fills in where the call was written and
which isolation it has.
""",
    "SharedObservationController": """## Omit the isolation and the source line

Leave `isolation:`, `fileID:` and `line:` out. The compiler fills in where the call was written and
which isolation it has.
""",
}


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


def page(kind, symbols, strangers):
    """The page of one class: its own members, and those of its base class."""
    titles = collections.Counter((s["pathComponents"][0], s["names"]["title"]) for s in symbols)
    groups = collections.defaultdict(list)
    for symbol in symbols:
        name = group(symbol)
        owner, link = symbol["pathComponents"][0], symbol["names"]["title"]
        if name is None:
            strangers.append(link)
            continue
        if titles[owner, link] > 1:
            link += "-" + stable_hash(symbol["identifier"]["precise"])
        place = symbol.get("location", {})
        rank = ["handler:" in link, "action:" in link].index(True) if "handler:" in link or "action:" in link else 2
        if owner != kind:
            link = f"{owner}/{link}"
        groups[name].append((rank, place.get("uri", ""), place.get("position", {}).get("line", 0), link))
    text = f"# ``{kind}``\n\n<!-- Written by .ci/curation.py. -->\n\n{HEADS[kind]}\n## Topics\n"
    for name in ORDER:
        if groups[name]:
            text += f"\n### {name}\n\n" + "".join(f"- ``{link}``\n" for *_, link in sorted(groups[name]))
    return text


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ("--write", "--check"):
        sys.stderr.write("usage: curation.py GRAPH --write | --check\n")
        return 64
    symbols = json.loads(pathlib.Path(sys.argv[1]).read_text())["symbols"]
    strangers, stale, count = [], [], 0
    for kind in HEADS:
        members = [s for s in symbols if s["pathComponents"][0] in (kind, BASE) and len(s["pathComponents"]) == 2]
        count += len(members)
        path, text = PAGES / f"{kind}.md", page(kind, members, strangers)
        if sys.argv[2] == "--write":
            PAGES.mkdir(exist_ok=True)
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale.append(path.name)
    for title in strangers:
        sys.stderr.write(f"curation: {title} belongs to no group\n")
    for name in stale:
        sys.stderr.write(f"curation: {name} is not what --write makes of the symbols\n")
    print(f"curation: {count} symbols on {len(HEADS)} pages, {len(strangers)} in no group")
    return bool(strangers or stale) or not count


sys.exit(main())
