// swift-tools-version: 6.2
import PackageDescription

// Programs and suites that use the library as a user's program does, built plainly: `-enable-testing` would keep the optimiser from some of what
// it does in a release.
//
// The programs are built twice from the same files: models and observers as two modules, and as one module in which a model's file comes before
// its observer's. The suites are those of the root package that need no `-enable-testing`.
let swiftSettings: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let suiteSettings: [SwiftSetting] =
    [
        "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "InferIsolatedConformances",
        "NonisolatedNonsendingByDefault", "ImmutableWeakCaptures",
    ].map { .enableUpcomingFeature($0) }

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "SafeKVO") }

let package = Package(
    name: "PlainRelease",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "SafeKVO", path: "../../..")],
    targets: [
        .target(
            name: "Models", dependencies: [product("SafeKVO"), product("SafeKVOEvents")], path: "Models", swiftSettings: swiftSettings),
        .executableTarget(
            name: "TwoModules", dependencies: ["Models", product("SafeKVO"), product("SafeKVOEvents")], path: "Uses",
            swiftSettings: swiftSettings + [.define("TWO_MODULES")]),
        .executableTarget(
            name: "OneModule", dependencies: [product("SafeKVO"), product("SafeKVOEvents")], path: "OneModule", swiftSettings: swiftSettings
        ),
        .target(name: "KeyValueModel", path: "Suites/KeyValueModel", swiftSettings: suiteSettings),
        .testTarget(
            name: "KeyValueModelTests", dependencies: ["KeyValueModel", product("SafeKVO")], path: "Suites/KeyValueModelTests",
            exclude: ["Faults"], swiftSettings: suiteSettings),
        .testTarget(
            name: "SafeSurfaceTests",
            dependencies: [
                product("SafeKVO"), product("SafeKVODiagnostics"), product("SafeKVOEvents"), product("SafeKVOFoundation"),
                product("SafeKVOTesting"),
            ],
            path: "Suites/SafeSurfaceTests", swiftSettings: suiteSettings),
        // Without the tests of the examples, which are programs of the root package.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [product("SafeKVO"), product("SafeKVODiagnostics"), product("SafeKVOEvents"), product("SafeKVOTesting")],
            path: "Suites/DocumentationTests", exclude: ["AlbumTests.swift", "BuiltProgram.swift", "ClockTests.swift", "RolesTests.swift"],
            swiftSettings: suiteSettings),
    ]
)
