#!/usr/bin/env bash
# Protects what the library does with Swift 6.4's Observation, which reports changes also after they are made.
#
# This compiler has none of it. So the library is built with a stand-in, and the tests of `@Observable` objects are run with it. A mistake
# must fail.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
copy=$PWD/.build/next-observation
suites='^SafeKVOTests\.(Observable|ObservedWrites|BothWorlds|TrackingToken)'

# A copy of the package with no more in it than that. The products of the last build are kept.
rm -rf "$copy"/{Sources,Tests}
mkdir -p "$copy"/Sources "$copy"/Tests/SafeKVOTests/Pull
cp -rp Sources/{CSafeKVO,SafeKVO,SafeKVOTesting} "$copy/Sources"
cp -p Tests/StandIns/NextObservation/*.swift "$copy/Sources/SafeKVO"
cp -rp Tests/Support "$copy/Tests"
cp -p Tests/SafeKVOTests/Pull/{Observable,ObservedWrites,BothWorlds,TrackingToken,ReportedAfter}*.swift "$copy/Tests/SafeKVOTests/Pull"
cat Package.swift - >"$copy/Package.swift" <<'MANIFEST'
let kept = ["CSafeKVO", "SafeKVO", "SafeKVOTesting", "TestSupport", "SafeKVOTests"]
package.targets.removeAll { !kept.contains($0.name) }
package.products = []
MANIFEST

check() {
    SAFEKVO_BRANCHES=NEXT_OBSERVATION SAFEKVO_SUITES=SafeKVOTests swift test --package-path "$copy" --disable-xctest \
        -debug-info-format none -Xswiftc -warnings-as-errors --filter "$1" 2>&1
}

if ! output=$(check "$suites") || [[ $output != *"Test run with "[1-9]*" passed"* ]]; then
    grep -E 'error:|✘|expected' <<<"$output" | head -n 40 >&2
    echo "next-observation: the tests of @Observable objects fail where changes are reported after they are made" >&2
    exit 1
fi
grep 'Test run with' <<<"$output"

# A check that cannot fail is none. seed EDIT MESSAGE: with the edit made in the copy of the tracker, it must fail, and say so.
tracker=Sources/SafeKVO/Pull/Tracker.swift
seed() {
    sed "$1" $tracker >"$copy/$tracker"
    if cmp -s $tracker "$copy/$tracker"; then echo "next-observation: nothing to seed: $1" >&2 && exit 1; fi
    if output=$(check 'ObservableTests/aChangeIsTold') || [[ $output != *"$2"* ]]; then
        printf '%s\n' "$output" | tail -n 20 >&2
        echo "next-observation: the tracker with $1 did not fail with: $2" >&2
        exit 1
    fi
}
seed 's/options: \.didSet/options: .willSet/' "has no member 'willSet'"
seed 's/if isHere { job() } else { schedule() }/schedule()/' '(log.events → [])'
echo "next-observation: fails on each of 2 seeded mistakes"
