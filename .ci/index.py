"""Protects layers.py and surface.py from reading Swift as text: it gives them what the compiler has noted of the sources.

That is the index of a build, read by the toolchain's own library.
"""
import ctypes
import os
import pathlib
import shutil
import sys

DEFINITION, REFERENCE = 1 << 1, 1 << 2  # roles of an occurrence
VISITOR = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)


class Text(ctypes.Structure):
    """indexstore_string_ref_t"""
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode()


UNIT_VISITOR = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, Text)


class Index:
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
            sys.exit(f"index: {name}{arguments} failed: build before")
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

    def occurrences(self, folder):
        """For each source below a folder, the set of what it defines and uses: (roles, name for the compiler, name, line)."""
        files = {}
        for name in self.units():
            unit = self.made("indexstore_unit_reader_create", self.store, name.encode())
            main = pathlib.Path(str(self.call("indexstore_unit_reader_get_main_file", Text, unit))).resolve()
            if folder in main.parents and main.exists():
                found = files.setdefault(main, set())
                self.visit("indexstore_unit_reader_dependencies_apply_f", unit, lambda item: self.read(item, found))
            self.call("indexstore_unit_reader_dispose", None, unit)
        for missing in sorted(folder.rglob("*.swift")):
            if missing not in files:
                sys.exit(f"index: {missing} is not in the index: build before")
        return files

    def read(self, dependency, found):
        if self.call("indexstore_unit_dependency_get_kind", ctypes.c_int, dependency) != 2:  # 2: a record
            return
        name = str(self.call("indexstore_unit_dependency_get_name", Text, dependency))
        record = self.made("indexstore_record_reader_create", self.store, name.encode())
        self.visit("indexstore_record_reader_occurrences_apply_f", record, lambda item: self.note(item, found))
        self.call("indexstore_record_reader_dispose", None, record)

    def note(self, occurrence, found):
        roles = self.call("indexstore_occurrence_get_roles", ctypes.c_uint64, occurrence)
        symbol = self.call("indexstore_occurrence_get_symbol", ctypes.c_void_p, occurrence)
        line, column = ctypes.c_uint(), ctypes.c_uint()
        self.call("indexstore_occurrence_get_line_col", None, occurrence, ctypes.byref(line), ctypes.byref(column))
        found.add((roles, str(self.call("indexstore_symbol_get_usr", Text, symbol)),
                   str(self.call("indexstore_symbol_get_name", Text, symbol)), line.value))
