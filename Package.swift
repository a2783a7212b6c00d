// swift-tools-version: 6.2
import PackageDescription

// Branches that other systems and compilers take, to be tested on this one: `.ci/branches` lists them. Nobody else sets the variable.
var branches = Context.environment["SAFEKVO_BRANCHES"]?.split(separator: ",").map { "SAFEKVO_\($0)" } ?? []
#if compiler(>=6.4)
    // It checks the parameters of the wrappers' subscripts, and may refuse autoclosures.
    branches.append("SAFEKVO_PLAIN_KEY_PATHS")
#endif

let swiftSettings: [SwiftSetting] =
    [
        "ExistentialAny",  // SE-0335
        "InternalImportsByDefault",  // SE-0409
        "MemberImportVisibility",  // SE-0444
        "InferIsolatedConformances",  // SE-0470
        "NonisolatedNonsendingByDefault",  // SE-0461
        "ImmutableWeakCaptures",  // SE-0481
    ].map { .enableUpcomingFeature($0) }
    + [.swiftLanguageMode(.v6), .strictMemorySafety()] + branches.map { .define($0) }

let package = Package(
    name: "SafeKVO",
    // `Synchronization` sets the floor.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "SafeKVO", targets: ["SafeKVO"]),
        .library(name: "SafeKVOEvents", targets: ["SafeKVOEvents"]),
        .library(name: "SafeKVODiagnostics", targets: ["SafeKVODiagnostics"]),
        .library(name: "SafeKVOFoundation", targets: ["SafeKVOFoundation"]),
        .library(name: "SafeKVOTesting", targets: ["SafeKVOTesting"]),
    ],
    targets: [
        .target(name: "CSafeKVO", cSettings: branches.map { .define($0) }),
        .target(name: "SafeKVO", dependencies: ["CSafeKVO"], swiftSettings: swiftSettings),
        .target(name: "SafeKVOEvents", dependencies: ["SafeKVO"], swiftSettings: swiftSettings),
        .target(name: "SafeKVODiagnostics", dependencies: ["CSafeKVO", "SafeKVO"], swiftSettings: swiftSettings),
        .target(name: "SafeKVOFoundation", dependencies: ["CSafeKVO", "SafeKVO", "SafeKVOEvents"], swiftSettings: swiftSettings),
        .target(name: "SafeKVOTesting", dependencies: ["SafeKVO"], swiftSettings: swiftSettings),
        .executableTarget(
            name: "clock", dependencies: ["SafeKVO", "SafeKVOFoundation"], path: "Sources/Examples/Clock", swiftSettings: swiftSettings),
        .executableTarget(
            name: "album", dependencies: ["SafeKVO", "SafeKVODiagnostics", "SafeKVOEvents"], path: "Sources/Examples/Album",
            resources: [.copy("Covers")],
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "roles", dependencies: ["SafeKVO", "SafeKVOEvents"], path: "Sources/Examples/Roles", swiftSettings: swiftSettings),
        // What the library assumes of the compiler and the runtime, a test for each. It does not use the library.
        .testTarget(name: "AssumptionTests", dependencies: ["CSafeKVO"], swiftSettings: swiftSettings),
        // A suite for each module of the library.
        .testTarget(name: "SafeKVOTests", dependencies: ["SafeKVO", "SafeKVOTesting", "TestSupport"], swiftSettings: swiftSettings),
        // The part of SafeKVO that has the most tests: apart, so that a release build compiles the two side by side.
        .testTarget(
            name: "KeyValueTests", dependencies: ["SafeKVO", "SafeKVODiagnostics", "SafeKVOFoundation", "SafeKVOTesting", "TestSupport"],
            exclude: ["Faults"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "SafeKVOEventsTests", dependencies: ["SafeKVO", "SafeKVOEvents", "SafeKVOTesting", "TestSupport"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "SafeKVODiagnosticsTests",
            dependencies: ["SafeKVO", "SafeKVODiagnostics", "SafeKVOEvents", "SafeKVOTesting", "TestSupport"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "SafeKVOFoundationTests",
            dependencies: [
                "CocoaDouble", "SafeKVO", "SafeKVODiagnostics", "SafeKVOEvents", "SafeKVOFoundation", "SafeKVOTesting", "TestSupport",
            ],
            swiftSettings: swiftSettings),
        .testTarget(name: "SafeKVOTestingTests", dependencies: ["SafeKVO", "SafeKVOTesting", "TestSupport"], swiftSettings: swiftSettings),
        // What every source of observation must do, of whatever module.
        .testTarget(
            name: "ContractTests",
            dependencies: [
                "CocoaDouble", "SafeKVO", "SafeKVODiagnostics", "SafeKVOEvents", "SafeKVOFoundation", "SafeKVOTesting", "TestSupport",
            ],
            exclude: ["Faults"], swiftSettings: swiftSettings),
        // What several suites use.
        .target(name: "TestSupport", dependencies: ["SafeKVO", "SafeKVOTesting"], path: "Tests/Support", swiftSettings: swiftSettings),
        // Cocoa's observing, as far as it can be had without Cocoa: it raises where Cocoa does.
        .target(
            name: "CocoaDouble", dependencies: ["SafeKVO", "SafeKVOFoundation"], path: "Tests/StandIns/CocoaDouble",
            swiftSettings: swiftSettings),
        // What may happen to registrations, worked out beside the library. It shares nothing with it.
        .target(name: "LifetimeModel", path: "Tests/Models/LifetimeModel", swiftSettings: swiftSettings),
        .testTarget(
            name: "LifetimeSafetyTests",
            dependencies: [
                "CocoaDouble", "LifetimeModel", "SafeKVO", "SafeKVODiagnostics", "SafeKVOEvents", "SafeKVOFoundation", "SafeKVOTesting",
                "TestSupport",
            ],
            exclude: ["Faults"], swiftSettings: swiftSettings),
        // What observers hear, worked out the slow way. It shares nothing with what it is compared with.
        .target(name: "KeyValueModel", path: "Tests/Models/KeyValueModel", swiftSettings: swiftSettings),
        .testTarget(
            name: "KeyValueModelTests", dependencies: ["KeyValueModel", "SafeKVO"], exclude: ["Faults"], swiftSettings: swiftSettings),
        // The lock-free protocols, once more, and a checker that visits all their states under RC11. It shares nothing with the library.
        .target(name: "MemoryModel", path: "Tests/Models/MemoryModel", swiftSettings: swiftSettings),
        .testTarget(
            name: "MemoryModelTests", dependencies: ["MemoryModel"], exclude: ["Weakenings.md"], swiftSettings: swiftSettings),
        // What safe code can feed in: every public function, with values that make no sense.
        .testTarget(
            name: "SafeSurfaceTests",
            dependencies: ["SafeKVO", "SafeKVODiagnostics", "SafeKVOEvents", "SafeKVOFoundation", "SafeKVOTesting"],
            swiftSettings: swiftSettings),
        // Programs that the compiler must refuse: they are handed to it by the tests.
        .testTarget(
            name: "CompilerTests", dependencies: ["SafeKVO"], exclude: ["Accepted", "Faults", "Programs"], swiftSettings: swiftSettings),
        .testTarget(
            name: "DocumentationTests", dependencies: ["SafeKVO", "SafeKVODiagnostics", "SafeKVOEvents", "SafeKVOTesting"],
            swiftSettings: swiftSettings),
    ],
)

// A check that needs only some of the suites names them, so that the others need not be built.
if let suites = Context.environment["SAFEKVO_SUITES"]?.split(separator: ",") {
    package.targets.removeAll { target in target.type == .test && !suites.contains { $0 == target.name } }
}
