#!/usr/bin/env python3
"""surface.py [--store STORE] GRAPH...: fails if a public function is called nowhere in Tests/SafeSurfaceTests.

Public is what the symbol graphs say: every function, method, operator, initialiser and subscript that is declared in Sources. Left out is
what the compiler adds: what a type inherits (its symbol says ::SYNTHESIZED::), and what is derived and stands in no file (it has no location).
Called is what the compiler's index says of the suite: there is no list to keep. Build the tests before; STORE is the index of that build.
"""
import argparse
import ctypes
import json
import os
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUITE = ROOT / "Tests/SafeSurfaceTests"
KINDS = {"swift.func", "swift.method", "swift.type.method", "swift.func.op", "swift.init", "swift.subscript"}
REFERENCE = 1 << 2  # a role of the index


class Text(ctypes.Structure):
    """indexstore_string_ref_t"""
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode()


VISITOR = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)
UNIT_VISITOR = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, Text)


class Index:
    """What the compiler has noted of the sources that it compiled."""

    def __init__(self, path):
        library = pathlib.Path(os.path.realpath(shutil.which("swiftc"))).parent.parent / "lib/libIndexStore.so"
        self.calls = ctypes.CDLL(str(library))
        self.store = self.made("indexstore_store_create", str(path).encode())

    def call(self, name, result, *arguments):
        function = getattr(self.calls, name)
        function.restype = result
        return function(*[ctypes.c_void_p(a) if isinstance(a, int) else a for a in arguments])

    def made(self, name, *arguments):
        error = ctypes.c_void_p()
        made = self.call(name, ctypes.c_void_p, *arguments, ctypes.byref(error))
        if not made:
            sys.exit(f"surface: {name}{arguments} failed: build the tests first")
        return made

    def visit(self, name, handle, visit):
        def visitor(_, item):
            visit(item)
            return True
        self.call(name, ctypes.c_bool, handle, None, VISITOR(visitor))

    def units(self):
        names = []
        visitor = UNIT_VISITOR(lambda _, name: names.append(str(name)) or True)
        self.call("indexstore_store_units_apply_f", ctypes.c_bool, self.store, ctypes.c_uint(0), None, visitor)
        return names

    def references(self, folder):
        """The symbols that are used by the files of a folder, and these files."""
        used, files = set(), set()
        for name in self.units():
            unit = self.made("indexstore_unit_reader_create", self.store, name.encode())
            main = pathlib.Path(str(self.call("indexstore_unit_reader_get_main_file", Text, unit))).resolve()
            if folder in main.parents and main.exists():
                files.add(main)
                self.visit("indexstore_unit_reader_dependencies_apply_f", unit, lambda item: self.read(item, used))
            self.call("indexstore_unit_reader_dispose", None, unit)
        return used, files

    def read(self, dependency, used):
        if self.call("indexstore_unit_dependency_get_kind", ctypes.c_int, dependency) != 2:  # 2: a record
            return
        name = str(self.call("indexstore_unit_dependency_get_name", Text, dependency))
        record = self.made("indexstore_record_reader_create", self.store, name.encode())
        self.visit("indexstore_record_reader_occurrences_apply_f", record, lambda item: self.note(item, used))
        self.call("indexstore_record_reader_dispose", None, record)

    def note(self, occurrence, used):
        if self.call("indexstore_occurrence_get_roles", ctypes.c_uint64, occurrence) & REFERENCE:
            symbol = self.call("indexstore_occurrence_get_symbol", ctypes.c_void_p, occurrence)
            used.add(str(self.call("indexstore_symbol_get_usr", Text, symbol)))


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
    used, files = Index(arguments.store).references(SUITE)
    for missing in sorted(SUITE.rglob("*.swift")):
        if missing not in files:
            sys.exit(f"surface: {missing.relative_to(ROOT)} is not in the index: build the tests first")
    uncovered = [symbol for name, symbol in functions.items() if name not in used]
    for symbol in uncovered:
        place = symbol["location"]
        path = place["uri"].removeprefix("file://").removeprefix(f"{ROOT}/")
        declaration = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
        sys.stderr.write(f"{path}:{place['position']['line'] + 1}: {'.'.join(symbol['pathComponents'])} is not covered\n    {declaration}\n")
    print(f"surface: {len(functions)} public functions, {len(uncovered)} not covered by SafeSurfaceTests")
    return bool(uncovered) or not functions


sys.exit(main())
