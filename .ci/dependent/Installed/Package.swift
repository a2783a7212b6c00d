// This is the manifest that README shows. It is read by CI, and not resolved: OWNER stands for the owner of the repository, here only.
// snippet: manifest
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "MyApp",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [
        .package(url: "https://github.com/OWNER/SafeKVO.git", from: "0.1.0")
    ],
    targets: [
        .executableTarget(
            name: "MyApp",
            dependencies: [
                .product(name: "SafeKVO", package: "SafeKVO")
            ])
    ]
)
// end snippet
