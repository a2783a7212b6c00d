// swift-tools-version: 6.2
import PackageDescription

// A package that uses the library as a user's does: by path, in four dialects of Swift. Warnings are errors here.
// Before it is built, `cells.py` writes .build/Cells.swift. `refused.py` tries what must not compile.
let products: [Target.Dependency] = ["SafeKVO", .product(name: "SafeKVOEvents", package: "SafeKVO")]

let package = Package(
    name: "Dependent",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "SafeKVO", path: "../.."),
        // For a recipe of the documentation only.
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.0"),
    ],
    targets: [
        .executableTarget(name: "SwiftSix", dependencies: products, swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "DefaultMainActor", dependencies: products,
            swiftSettings: [.treatAllWarnings(as: .error), .defaultIsolation(MainActor.self)]),
        .executableTarget(
            // The defaults of a new project of Xcode 26, in Swift 6.
            name: "Xcode26", dependencies: products,
            swiftSettings: [
                .treatAllWarnings(as: .error), .defaultIsolation(MainActor.self),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"), .enableUpcomingFeature("InferIsolatedConformances"),
            ]),
        .executableTarget(
            name: "SwiftFive", dependencies: products, swiftSettings: [.treatAllWarnings(as: .error), .swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "Recipes", dependencies: products + [.product(name: "AsyncAlgorithms", package: "swift-async-algorithms")],
            swiftSettings: [.treatAllWarnings(as: .error)]),
    ]
)
