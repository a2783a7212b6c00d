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

let library: Target.Dependency = .product(name: "SafeKVO", package: "SafeKVO")
let events: Target.Dependency = .product(name: "SafeKVOEvents", package: "SafeKVO")
let foundation: Target.Dependency = .product(name: "SafeKVOFoundation", package: "SafeKVO")
let testing: Target.Dependency = .product(name: "SafeKVOTesting", package: "SafeKVO")

let package = Package(
    name: "Endurance",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "SafeKVO", path: "../../..")],
    targets: [
        .target(name: "CEndurance"),
        .target(name: "EnduranceKit", dependencies: ["CEndurance"], swiftSettings: swiftSettings),
        .executableTarget(
            name: "soak", dependencies: ["EnduranceKit", library, events, foundation, testing], swiftSettings: swiftSettings),
        .executableTarget(name: "millions", dependencies: ["EnduranceKit", library], swiftSettings: swiftSettings),
    ])
