// swift-tools-version: 6.2
import PackageDescription

// A package that uses the library as a user's does: by path, in three dialects of Swift, each from a class on the main actor, a plain class
// and an actor. Warnings are errors here.
let package = Package(
    name: "Dependent",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "SafeKVO", path: "../.."),
        // For a recipe of the documentation only.
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.0"),
    ],
    targets: [
        .executableTarget(name: "SwiftSix", dependencies: ["SafeKVO"], swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "DefaultMainActor", dependencies: ["SafeKVO"],
            swiftSettings: [.treatAllWarnings(as: .error), .defaultIsolation(MainActor.self)]),
        .executableTarget(
            name: "SwiftFive", dependencies: ["SafeKVO"], swiftSettings: [.treatAllWarnings(as: .error), .swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "Recipes", dependencies: ["SafeKVO", .product(name: "AsyncAlgorithms", package: "swift-async-algorithms")],
            swiftSettings: [.treatAllWarnings(as: .error)]),
    ]
)
