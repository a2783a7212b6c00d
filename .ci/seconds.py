#!/usr/bin/env python3
"""Protects users from calls that take the compiler seconds to type-check.

seconds.py TITLE LIMIT COMMAND…: runs a command, reports how long it took, and fails if it fails or takes longer than the limit.
"""
import subprocess
import sys
import time

title, limit, command = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
start = time.monotonic()
status = subprocess.run(command).returncode
seconds = time.monotonic() - start
print(f"{title} {seconds:.2f} s (the promise is 3 s, the limit here {limit:g} s)")
sys.exit(status or seconds > limit)
