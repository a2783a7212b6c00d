#!/usr/bin/env python3
"""Protects readers from examples that do not compile: each Swift block of the documents is code that is compiled and run.

Keeps the blocks of README.md and of the documentation catalogue equal to that code.

A region of code:        // snippet: NAME   …   // end snippet      (in Tests/DocumentationTests, Tests/StandIns/AppleTypeCheck and .ci/dependent)
A block of a document:   <!-- snippet: NAME -->, then a fenced block of Swift

--check   says what differs, and fails if anything does
--write   brings the documents up to date

Every Swift block needs a name, every name a region, and every region a block. A table row that names a test (`File.swift`, `testName`)
must name one that exists, and so must a test that is named `SuiteTests/test`.
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
REGION = re.compile(r"^[ \t]*// snippet: (\S+)\n(.*?)^[ \t]*// end snippet$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^(?:<!-- snippet: (\S+) -->\n+)?```swift\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED_TEST = re.compile(r"`(\w+Tests)/(\w+)`")
TEST = re.compile(r"\[`(\w+)`\]\((Tests/\S+?\.swift)\)")


def read_regions(problems):
    regions = {}
    sources = sorted((ROOT / "Tests/DocumentationTests").rglob("*.swift"))
    sources += sorted((ROOT / "Tests/StandIns/AppleTypeCheck").rglob("*.swift"))
    # Links to what .ci/dependent/cells.py writes lead nowhere before it has run.
    sources += sorted(p for p in (ROOT / ".ci/dependent").rglob("*.swift") if ".build" not in p.parts and p.exists())
    for path in sources:
        text = path.read_text()
        for name, body in REGION.findall(text):
            if name in regions:
                problems.append(f"{path.relative_to(ROOT)}: there are two regions '{name}'")
            regions[name] = textwrap.dedent(body)
        if text.count("// snippet: ") != len(REGION.findall(text)):
            problems.append(f"{path.relative_to(ROOT)}: a region does not end")
    return regions


def has_test(file, test):
    return re.search(rf"@Test(?:(?!func ).)*func {test}\(", file.read_text(), re.DOTALL) is not None


def main():
    if sys.argv[1:] not in (["--check"], ["--write"]):
        sys.stderr.write("usage: snippets.py --check | --write\n")
        return 64
    problems, used, blocks = [], set(), 0
    regions = read_regions(problems)
    for path in [ROOT / "README.md"] + sorted((ROOT / "Sources").glob("*/*.docc/**/*.md")):
        place, text = path.relative_to(ROOT), path.read_text()

        def replace(match):
            nonlocal blocks
            blocks += 1
            name, body = match.groups()
            if name is None:
                problems.append(f"{place}: a block of Swift has no name: {body.splitlines()[0]}")
            elif name not in regions:
                problems.append(f"{place}: there is no region '{name}'")
            else:
                used.add(name)
                if body != regions[name] and sys.argv[1] == "--check":
                    problems.append(f"{place}: block '{name}' differs from its region; run .ci/snippets.py --write")
                return f"<!-- snippet: {name} -->\n```swift\n{regions[name]}```"
            return match.group(0)

        written = BLOCK.sub(replace, text)
        if text.count("```swift") != len(BLOCK.findall(text)):
            problems.append(f"{place}: a block of Swift is not closed, or is indented")
        if sys.argv[1] == "--write" and written != text:
            path.write_text(written)
        for test, file in TEST.findall(text):
            if not (ROOT / file).is_file():
                problems.append(f"{place}: there is no {file}")
            elif not has_test(ROOT / file, test):
                problems.append(f"{place}: there is no test {test} in {file}")
        for suite, test in NAMED_TEST.findall(text):
            # A suite may continue in extensions, in files such as `Suite+Topic.swift`.
            files = [*(ROOT / "Tests").rglob(f"{suite}.swift"), *(ROOT / "Tests").rglob(f"{suite}+*.swift")]
            if not any(has_test(file, test) for file in files):
                problems.append(f"{place}: there is no test {suite}/{test}")
    problems += [f"no document shows the region '{name}'" for name in sorted(regions.keys() - used)]
    if blocks == 0:
        problems.append("no block of Swift was found")
    for problem in problems:
        sys.stderr.write(f"snippets: {problem}\n")
    print(f"snippets: {blocks} blocks, {len(regions)} regions, {len(problems)} problems")
    return 1 if problems else 0


sys.exit(main())
