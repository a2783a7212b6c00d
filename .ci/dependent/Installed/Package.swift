// swift-tools-version: 6.2
// README shows lines of this manifest. CI reads it, and does not resolve it: OWNER stands for the owner of the repository, here only.
import PackageDescription

let package = Package(
    name: "MyApp",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [
        // snippet: manifest
        .package(url: "https://github.com/OWNER/SafeKVO.git", branch: "main")
        // end snippet
    ],
    targets: [
        .executableTarget(
            name: "MyApp",
            dependencies: [
                // snippet: manifest-product
                .product(name: "SafeKVO", package: "SafeKVO")
                // end snippet
            ])
    ]
)
