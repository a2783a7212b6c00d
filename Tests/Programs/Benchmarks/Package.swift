// swift-tools-version: 6.2
import PackageDescription

/// With `SAFEKVO_BENCHMARKS_ALONE` set, nothing is here that needs a package of other people's: what counts instructions is built so.
let isAlone = Context.environment["SAFEKVO_BENCHMARKS_ALONE"] != nil

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
func suite(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .target(name: name, dependencies: ["BenchmarkKit"] + dependencies, swiftSettings: swiftSettings)
}

let events: Target.Dependency = .product(name: "SafeKVOEvents", package: "SafeKVO")

let own = [suite("LimitBenchmarks"), suite("SafeKVOBenchmarks", .product(name: "SafeKVO", package: "SafeKVO"), events)]
let peers =
    [suite("FoundationBenchmarks"), suite("ObservationBenchmarks"), suite("WeakDictionaryBenchmarks")]
    + (isAlone
        ? []
        : [
            suite(
                "OpenCombineBenchmarks", .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "OpenCombineDispatch", package: "OpenCombine"))
        ])

/// A contender that builds graphs: a module of its own, which depends on the kit and on the library that it measures.
func graphs(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .target(name: name, dependencies: ["BenchmarkKit", "GraphKit"] + dependencies, swiftSettings: swiftSettings)
}

let wirings =
    [
        graphs("SafeKVOGraphs", .product(name: "SafeKVO", package: "SafeKVO")), graphs("SignalGraphs"), graphs("HandGraphs"),
        graphs("ObservationGraphs"), graphs("MemoisedGraphs", .product(name: "SafeKVO", package: "SafeKVO")),
    ] + (isAlone ? [] : [graphs("OpenCombineGraphs", .product(name: "OpenCombine", package: "OpenCombine"))])

func program(_ name: String, _ suites: [Target]) -> Target {
    .executableTarget(
        name: name, dependencies: ["BenchmarkKit"] + suites.map { .target(name: $0.name) }, swiftSettings: swiftSettings)
}

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "SafeKVO", path: "../../..")]
        + (isAlone ? [] : [.package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0")]),
    targets: own + peers + wirings + [
        .target(name: "CBenchmarks"),
        .target(name: "CGraphs"),
        .target(name: "BenchmarkKit", dependencies: ["CBenchmarks"], swiftSettings: swiftSettings),
        .executableTarget(
            name: "checks", dependencies: [.product(name: "SafeKVO", package: "SafeKVO"), events], swiftSettings: swiftSettings),
        .target(name: "GraphKit", dependencies: ["BenchmarkKit", "CGraphs"], swiftSettings: swiftSettings),
        .executableTarget(
            name: "graphs", dependencies: ["BenchmarkKit", "GraphKit"] + wirings.map { .target(name: $0.name) },
            swiftSettings: swiftSettings + (isAlone ? [.define("ALONE")] : [])),
        program("instructions", own),
    ] + (isAlone ? [] : [program("benchmarks", own + peers)]),
)
