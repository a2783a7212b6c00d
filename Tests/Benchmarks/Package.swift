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

/// What is measured: one module each, which depends on the kit and on the library that it measures.
///
/// A module uses that library as a program does, from outside.
let suites: [Target] = [
    .target(name: "LimitBenchmarks", dependencies: ["BenchmarkKit"], swiftSettings: swiftSettings),
    .target(
        name: "SafeKVOBenchmarks", dependencies: ["BenchmarkKit", .product(name: "SafeKVO", package: "SafeKVO")],
        swiftSettings: swiftSettings),
    .target(name: "FoundationBenchmarks", dependencies: ["BenchmarkKit"], swiftSettings: swiftSettings),
]

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "SafeKVO", path: "../..")],
    targets: suites + [
        .target(name: "CBenchmarks"),
        .target(name: "BenchmarkKit", dependencies: ["CBenchmarks"], swiftSettings: swiftSettings),
        .executableTarget(
            name: "checks", dependencies: [.product(name: "SafeKVO", package: "SafeKVO")], swiftSettings: swiftSettings),
        .executableTarget(
            name: "benchmarks", dependencies: ["BenchmarkKit"] + suites.map { .target(name: $0.name) }, swiftSettings: swiftSettings),
    ],
)
