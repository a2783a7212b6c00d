#!/usr/bin/env python3
"""Protects the sources from what the compiler does not refuse, such as Foundation in SafeKVO or `unsafe` without a reason.

- The top level holds what it may hold.
- Sources/SafeKVO imports no Foundation.
- Only the broker turns an info into a call.
- Nothing sleeps, spins or gives the processor away, but in the schedule points, which only tests compile.
- `@unchecked Sendable` and `nonisolated(unsafe)` have a SAFETY line within five lines. Files with unsafe
  expressions and no SAFETY line at all are listed, and do no harm.
- No test imports XCTest.
- What rests on the care of each line, and not on a type, does not grow: there is a limit for each sort.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOP = {"Package.swift", "Sources", "Tests", "CHANGELOG.md", "LICENSE", "README.md"}
problems = []
# How often each pattern may occur in Sources. Lower a limit with each change that needs less; raise one only with the reason in the commit.
LIMITS = {
    "contracts of callers in comments": (r"[Tt]he caller (?:must|keeps|holds|has)|[Cc]all this function only", 63),
    "unsafe": (r"(?<!\w)unsafe(?!\w)", 339),
    "Unretained": (r"\bUnretained\b", 246),
    "@unchecked Sendable": (r"@unchecked Sendable", 90),
    "nonisolated(unsafe)": (r"nonisolated\(unsafe\)", 0),
}


def code(line):
    """The line without its comment."""
    return re.sub(r"//.*", "", line)


tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
for name in sorted({path.split("/")[0] for path in tracked} - TOP):
    if not name.startswith("."):
        problems.append(f"{name} does not belong at the top level")

# A thread that waits for another one does so in the lock. To wait by the clock, or to spin, would hide that a protocol is wrong. (A task that
# waits for its clock holds no thread.)
WAITS = re.compile(r"\b(sched_yield|nanosleep|usleep|pthread_yield\w*|Thread\.sleep|(?<![.\w])(?<!func )sleep)\s*\(")
# The part of the C target that exists to make races likely, between the two lines.
SCHEDULE_POINTS = re.compile(r"#if defined\(SAFEKVO_SCHEDULE_POINTS\)\n.*?\n#endif\n", re.DOTALL)
for path in sorted((ROOT / "Sources").rglob("*.[chs]*")):
    if path.suffix not in {".c", ".h", ".swift"} or "Examples" in path.parts:
        continue
    text = path.read_text()
    if path.name == "CSafeKVO.c":
        text = SCHEDULE_POINTS.sub(lambda part: "\n" * part[0].count("\n"), text)
    for number, line in enumerate(text.splitlines(), 1):
        if WAITS.search(code(line)):
            problems.append(f"{path.relative_to(ROOT)}:{number}: waits by the clock, or spins: {line.strip()}")

files = sorted((ROOT / "Sources").rglob("*.swift"))
calls = 0
for path in files:
    place = path.relative_to(ROOT)
    lines = path.read_text().splitlines()
    if len(lines) > 400:
        problems.append(f"{place}: {len(lines)} lines")
    has_unsafe = False
    for number, line in enumerate(lines, 1):
        text = code(line)
        if place.parts[1] == "SafeKVO" and re.search(r"\bimport (Foundation|FoundationEssentials)\b", text):
            problems.append(f"{place}:{number}: imports Foundation")
        if re.search(r"\binfo\.call(Telling)?\(", text):
            calls += 1
            if path.name != "ObservationBroker.swift":
                problems.append(f"{place}:{number}: only ObservationBroker.swift turns an info into a call")
        if "@unchecked Sendable" in text or "nonisolated(unsafe)" in text:
            near = lines[max(0, number - 6) : number + 5]
            if not any("SAFETY:" in other for other in near):
                problems.append(f"{place}:{number}: no SAFETY line beside {text.strip()}")
        has_unsafe = has_unsafe or bool(re.search(r"\bunsafe [A-Za-z_&]", text))
    if has_unsafe and not any("SAFETY:" in line for line in lines):
        problems.append(f"{place}: unsafe expressions and no SAFETY line")
if calls == 0:
    problems.append("nothing turns an info into a call: has the name changed?")

# Not the packages of other people, which lie in build folders.
for path in sorted(p for p in (ROOT / "Tests").rglob("*.swift") if not any(part.startswith(".build") for part in p.parts)):
    if re.search(r"^\s*import XCTest", path.read_text(), re.MULTILINE):
        problems.append(f"{path.relative_to(ROOT)}: imports XCTest")

for name, (pattern, limit) in LIMITS.items():
    count = sum(len(re.findall(pattern, path.read_text())) for path in files)
    if count > limit:
        problems.append(f"{name}: {count} times in Sources, limit {limit}")
    elif count < limit:
        print(f"sources: {name}: {count} times, limit {limit}: lower it")

for problem in problems:
    sys.stderr.write(f"sources: {problem}\n")
print(f"sources: {len(files)} files, {len(problems)} problems")
sys.exit(bool(problems) or not files)
