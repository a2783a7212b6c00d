#!/usr/bin/env bash
# Protects the code for Apple's platforms, which nothing else compiles on Linux: a change that breaks it is found here.
#
# Type-checks it against stand-ins for Apple's modules, and sees that a mistake would fail.
#
# usage: apple.sh [SYMBOLS]     writes the symbol graph of SafeKVOFoundation into the folder SYMBOLS
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
here=Tests/StandIns/AppleTypeCheck
modules=$(mktemp -d)
trap 'rm -r "$modules"' EXIT

# What it depends on, and what its tests do, is what it is on Linux: nothing in it asks for Objective-C.
swift build --target CocoaDouble
products=$(swift build --show-bin-path)/Modules
# What the package manager calls the package in its commands.
package=$(basename "$PWD" | tr '[:upper:]' '[:lower:]' | tr -c '[:alnum:]\n' _)

stand_in=(-Xfrontend -enable-objc-interop -I "$here/include" -I "$modules")
features=(ExistentialAny InternalImportsByDefault MemberImportVisibility InferIsolatedConformances NonisolatedNonsendingByDefault
    ImmutableWeakCaptures)
# What the package manager writes for a C target.
printf 'module CSafeKVO { umbrella header "%s" export * }\n' "$PWD/Sources/CSafeKVO/include/CSafeKVO.h" >"$modules/module.modulemap"
dialect=(-swift-version 6 -strict-memory-safety -package-name "$package" -I "$products")
for feature in "${features[@]}"; do dialect+=(-enable-upcoming-feature "$feature"); done

# Foundation imports ObjectiveC.
for module in ObjectiveC Foundation; do
    swiftc -emit-module -parse-as-library -swift-version 5 -module-name "$module" -import-underlying-module "${stand_in[@]}" \
        -enable-upcoming-feature InternalImportsByDefault "$here/$module.swift" -emit-module-path "$modules/$module.swiftmodule" \
        -suppress-warnings
done

sources() { find "$@" -name '*.swift' | sort; }

# check MODULE FILE...: the bodies too.
check() {
    local module=$1
    shift
    swiftc -typecheck -parse-as-library -module-name "$module" -warnings-as-errors "${stand_in[@]}" "${dialect[@]}" "$@"
}

# emit MODULE FILE...: without bodies, for which the stand-ins would need a runtime.
emit() {
    local module=$1
    shift
    swiftc -emit-module -parse-as-library -module-name "$module" -suppress-warnings "${stand_in[@]}" "${dialect[@]}" \
        -Xfrontend -experimental-skip-all-function-bodies -emit-module-path "$modules/$module.swiftmodule" "${graph[@]}" "$@"
}

graph=()
mapfile -t apple < <(sources Sources/SafeKVOFoundation)
check SafeKVOFoundation "${apple[@]}"
if [[ -n ${1:-} ]]; then graph=(-emit-symbol-graph -emit-symbol-graph-dir "$1" -emit-extension-block-symbols); fi
emit SafeKVOFoundation "${apple[@]}"
check Uses "$here/Uses.swift"
# The tests for Apple's platforms, with as much of the contract suite as they need.
sed '/^\/\/\/ A source that goes through/,$d' Tests/ContractTests/Subjects/ContractSubject.swift >"$modules/Contract.swift"
check Tests "$modules/Contract.swift" Tests/ContractTests/Subjects/NSObjectSubjects.swift Tests/SafeKVOFoundationTests/Apple/NSObjectTests.swift
echo "apple: ${#apple[@]} files of SafeKVOFoundation type-check"

# The few lines of C.
check_c() {
    clang -fsyntax-only -std=gnu17 -Wall -Wextra -Werror -Wno-unused-parameter -D__APPLE__ -I "$here/c" -I Sources/CSafeKVO/include \
        -include "$here/c/apple.h" "$1"
}
check_c Sources/CSafeKVO/CSafeKVO.c

# A check that cannot fail is none. seed FILE EDIT MESSAGE: with the edit made in a copy, the check must fail, and say so.
seeds=0
seed() {
    local copy=$modules/seed/$(basename "$1") output
    mkdir -p "$modules/seed"
    sed "$2" "$1" >"$copy"
    if cmp -s "$1" "$copy"; then echo "apple: nothing to seed in $1: $2" >&2 && exit 1; fi
    case $1 in
        *.c) output=$(check_c "$copy" 2>&1) && status=0 || status=$? ;;
        "$here"/*) output=$(check Uses "$copy" 2>&1) && status=0 || status=$? ;;
        *) output=$(check SafeKVOFoundation "${apple[@]/#$1/$copy}" 2>&1) && status=0 || status=$? ;;
    esac
    if [[ $status == 0 || $output != *"$3"* ]]; then
        printf '%s\n' "$output" | tail -n 20 >&2
        echo "apple: $1 with $2 ended with $status, and not with: $3" >&2
        exit 1
    fi
    seeds=$((seeds + 1))
}
cocoa=Sources/SafeKVOFoundation/Apple
seed $cocoa/CocoaSystem.swift 's/context: UnsafeMutableRawPointer?/context: UnsafeRawPointer?/' "does not override any method"
seed $cocoa/CocoaSystem.swift 's/\.notificationIsPriorKey/.isPriorKey/' "has no member 'isPriorKey'"
seed $cocoa/CocoaSystem.swift 's/options: \.prior,/options: .before,/' "has no member 'before'"
seed $cocoa/CocoaSystem.swift 's/removeObserver(receiver, forKeyPath: key/removeObserver(receiver, forKey: key/' "incorrect argument label"
seed $cocoa/CocoaSystem.swift 's/func unregister(_ key: String/func unregister(_ key: Int/' "does not conform to protocol 'KeyValueSystem'"
seed $cocoa/CocoaSystem.swift 's/\.OBJC_ASSOCIATION_RETAIN/OBJC_ASSOCIATION_RETAIN/' "cannot find 'OBJC_ASSOCIATION_RETAIN_NONATOMIC'"
# Right as to its type, and wrong: what is autoreleased outlives the object.
seed $cocoa/CocoaSystem.swift 's/\.OBJC_ASSOCIATION_RETAIN_NONATOMIC/.OBJC_ASSOCIATION_RETAIN/' "has no member 'OBJC_ASSOCIATION_RETAIN'"
seed $cocoa/CocoaSystem.swift 's/ivar_getTypeEncoding(variable)/ivar_getTypeEncoding(method)/' "cannot find 'method'"
seed $here/Uses.swift 's/#keyPath(Album.next.title)/#keyPath(Album.next.name)/' "has no member 'name'"
seed $here/Uses.swift 's/handler: //; s/{ view, title in view.title = title }/{ (view: MainAlbumView, title: Int) in }/' "Int"
# A class that is an NSObject and a KeyValueObservable: under the name `observe`, Foundation's function would be called.
seed $here/Uses.swift 's/player.observation(of: /player.observe(/' "error"
seed Sources/CSafeKVO/CSafeKVO.c 's/class_getSuperclass(class)/class_getSuperclass(object)/' "error"
echo "apple: fails on each of $seeds seeded mistakes"
