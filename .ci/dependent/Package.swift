// swift-tools-version: 6.2
import PackageDescription

// A package that uses the library as a user's does: by path, in three dialects of Swift, each from a class on the main actor, a plain class
// and an actor. Warnings are errors here.
let package = Package(
    name: "Dependent",
    platforms: [.macOS(.v15)],
    // snippet: dependency
    dependencies: [
        .package(name: "SafeKVO", path: "../..")  // or url: the repository's address, branch: its main branch
    ],
    // end snippet
    targets: [
        .executableTarget(name: "SwiftSix", dependencies: ["SafeKVO"], swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "DefaultMainActor", dependencies: ["SafeKVO"],
            swiftSettings: [.treatAllWarnings(as: .error), .defaultIsolation(MainActor.self)]),
        .executableTarget(
            name: "SwiftFive", dependencies: ["SafeKVO"], swiftSettings: [.treatAllWarnings(as: .error), .swiftLanguageMode(.v5)]),
    ]
)
