// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] =
    [
        "ExistentialAny",  // SE-0335
        "InternalImportsByDefault",  // SE-0409
        "MemberImportVisibility",  // SE-0444
        "InferIsolatedConformances",  // SE-0470
        "NonisolatedNonsendingByDefault",  // SE-0461
        "ImmutableWeakCaptures",  // SE-0481
    ].map { .enableUpcomingFeature($0) }
    + [.swiftLanguageMode(.v6), .strictMemorySafety()]

let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "SafeKVO", path: "../../..")],
    targets: [
        // The model and the programs of the lifetime-safety suite: links to its folders.
        .target(name: "LifetimeModel", swiftSettings: swiftSettings),
        .executableTarget(
            name: "fuzz", dependencies: ["LifetimeModel", .product(name: "SafeKVO", package: "SafeKVO")],
            swiftSettings: swiftSettings + [.unsafeFlags(["-parse-as-library"])]),
    ])
