#!/usr/bin/env python3
"""Protects users from programs that must not compile: the compiler refuses each, with a message that they can use.

refused.py MODULES: compiles each program of Refused in each dialect, and looks at the first thing that the compiler says.

MODULES is the folder of a build. A program begins with what the compiler must say: `// error: …`. A further line, `// DIALECT: warning` or
`// DIALECT: accepted`, says what is less in a dialect. With `LEGAL` defined, the programs compile together, without warnings.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys

MAIN_ACTOR = ["-default-isolation", "MainActor"]
UPCOMING = ["-enable-upcoming-feature", "NonisolatedNonsendingByDefault", "-enable-upcoming-feature", "InferIsolatedConformances"]
DIALECTS = {
    "SwiftSix": ["-swift-version", "6"],
    "DefaultMainActor": ["-swift-version", "6", *MAIN_ACTOR],
    "Xcode26": ["-swift-version", "6", *MAIN_ACTOR, *UPCOMING],
    "SwiftFive": ["-swift-version", "5"],
}
folder = pathlib.Path(__file__).parent
programs = sorted((folder / "Refused").glob("*.swift"))
modules = pathlib.Path(sys.argv[1])


def say(dialect, files, *more):
    """What the compiler says first, if anything. Who may send what where is found out behind the checking of types, so `-emit-sil`."""
    command = ["swiftc", "-emit-sil", "-o", "/dev/null", "-wmo", "-parse-as-library", "-module-name", "Refused", *DIALECTS[dialect], *more]
    command += ["-I", modules / "Modules", "-Xcc", f"-fmodule-map-file={modules}/CSafeKVO.build/module.modulemap"]
    run = subprocess.run([*command, folder / "Sources/Shared/Parts.swift", *files], capture_output=True, text=True)
    said = re.search(r"^\S+: ((?:error|warning): .*)", run.stderr, flags=re.MULTILINE)
    return said[1] if said else "accepted" if run.returncode == 0 else run.stderr


def check(case):
    dialect, program = case
    source = program.read_text()
    error = re.match(r"// (error: .+)", source)[1]
    less = re.search(rf"^// {dialect}: (.*)", source, flags=re.MULTILINE)
    expected = error if not less else less[1] if less[1] == "accepted" else error.replace("error: ", "warning: ")
    said = say(dialect, [program])
    return [] if said.startswith(expected) else [f"{program.stem}, {dialect}: {said}"]


with concurrent.futures.ThreadPoolExecutor() as pool:
    failures = sum(pool.map(check, [(dialect, program) for dialect in DIALECTS for program in programs]), [])
for dialect in DIALECTS:
    said = say(dialect, programs, "-D", "LEGAL")
    failures += [] if said == "accepted" else [f"The twins, {dialect}: {said}"]
print("\n".join(failures) or f"{len(programs)} programs refused in {len(DIALECTS)} dialects, and their twins compiled")
sys.exit(bool(failures))
