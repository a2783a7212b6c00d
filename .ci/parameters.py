#!/usr/bin/env python3
"""Protects the documentation of parameters: a comment that lists other parameters than its function has is found here.

parameters.py GRAPH...: fails if the documentation of a public function lists other parameters than the function has.

The formatter's rule ValidateDocumentationComments does the same, but knows no exception. Here `isolation`, `fileID`, `line` and `column` are left
out: one sentence in the documentation of the module says what they are for.
"""
import json
import re
import sys

SHARED = {"isolation", "fileID", "line", "column"}
problems = []
functions = 0
for graph in sys.argv[1:]:
    for symbol in json.load(open(graph))["symbols"]:
        signature = symbol.get("functionSignature")
        lines = [line["text"] for line in symbol.get("docComment", {}).get("lines", [])]
        if not signature or not lines or "::SYNTHESIZED::" in symbol["identifier"]["precise"]:
            continue
        functions += 1
        has = [parameter.get("internalName", parameter["name"]) for parameter in signature.get("parameters", [])]
        documented, inside = [], False
        for text in lines:
            if one := re.match(r"- Parameter (\w+):", text):
                documented.append(one[1])
            elif re.match(r"- Parameters:", text):
                inside = True
            elif inside and (one := re.match(r" +- (\w+):", text)):
                documented.append(one[1])
            elif text.startswith("- "):
                inside = False
        wanted = [name for name in has if name not in SHARED]
        # A function that documents no parameter at all says it in its sentences.
        if documented and [name for name in documented if name not in SHARED] != wanted:
            problems.append(f"{'.'.join(symbol['pathComponents'])}: documents {documented}, has {wanted}")
for problem in problems:
    print(problem)
print(f"parameters: {functions} functions with documentation, {len(problems)} problems")
sys.exit(1 if problems or functions == 0 else 0)
