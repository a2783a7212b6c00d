import Foundation
import Testing

/// The album program, from outside.
@Suite final class AlbumTests {
    private let album = BuiltProgram(named: "album")
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("AlbumTests-\(UUID().uuidString)")
    private var cache: URL { folder.appendingPathComponent("cache") }
    private var covers: URL { folder.appendingPathComponent("covers") }

    init() throws {
        try FileManager.default.createDirectory(at: covers, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// A picture of two pixels by one.
    private static let picture: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x02,
        0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0xD1, 0x49, 0x20, 0x56, 0x00, 0x00, 0x00, 0x0B, 0x49, 0x44, 0x41,
        0x54, 0x78, 0xDA, 0x63, 0x60, 0xF8, 0x0F, 0x00, 0x01, 0x02, 0x01, 0x00, 0xD1, 0x1A, 0xCB, 0x8F, 0x00, 0x00, 0x00, 0x00,
        0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
    ]

    private func write(_ bytes: [UInt8], _ title: String) throws {
        try Data(bytes).write(to: covers.appendingPathComponent("\(title).png"))
    }

    private func run(_ arguments: String...) throws -> BuiltProgram.Run {
        try album.run(arguments + ["--cache", cache.path])
    }

    @Test("The bundled covers load, spinners stop, one view is gone too early; a second run has them in its cache")
    func theBundledCoversLoad() throws {
        let first = try run()
        #expect(
            first.output == """
                  Aria: no cover, spinning
                  Gavotte: no cover, spinning
                  Gigue: no cover, spinning
                  Suites: no cover, spinning
                  loading: 5 to come
                  loading: 4 to come
                  loading: 3 to come
                  loading: 2 to come
                  loading: 1 to come
                  Aria: 16 × 16, from the folder
                  Gavotte: 24 × 24, from the folder
                  Gigue: 32 × 24, from the folder
                  Suites: 48 × 32, from the folder
                4 albums, 0 covers from the cache, 1 came too late

                """)
        #expect(first.errors == "" && first.status == 0)
        let second = try run()
        #expect(second.output.hasSuffix("  Suites: 48 × 32, from the cache\n4 albums, 4 covers from the cache, 0 came too late\n"))
        #expect(!second.output.contains("loading") && !second.output.contains("spinning"))
        #expect(second.errors == "" && second.status == 0)
    }

    @Test("A folder of one's own, and a damaged cache, which is passed over")
    func aDamagedCacheIsPassedOver() throws {
        try write(Self.picture, "Own")
        #expect(try run(covers.path).output.contains("  Own: 2 × 1, from the folder\n"))
        try Data(Self.picture.dropLast()).write(to: cache.appendingPathComponent("Own.png"))
        #expect(try run(covers.path).output.contains("  Own: 2 × 1, from the folder\n"))
        #expect(try run(covers.path).output.contains("  Own: 2 × 1, from the cache\n"))
    }

    @Test(
        "A broken file gives one clear line, its view goes on spinning, and the others get their covers",
        arguments: [
            ("no picture", "it is not a PNG file: its signature is missing"), ("cut off", "it is cut off at byte 60"),
            ("damaged", "its part IDAT at byte 33 has a wrong checksum"), ("longer", "it has no pixels, or bytes after its end"),
        ])
    func aBrokenFileIsNamed(flaw: String, message: String) throws {
        var bytes = Self.picture
        switch flaw {
        case "no picture": bytes = Array("GIF89a, or so".utf8)
        case "cut off": bytes = Array(bytes.prefix(60))
        case "damaged": bytes[42] ^= 1
        default: bytes.append(0)
        }
        try write(bytes, "Broken")
        try write(Self.picture, "Whole")
        let run = try run(covers.path)
        #expect(run.errors == "album: \(covers.appendingPathComponent("Broken.png").path): \(message); replace the file\n")
        #expect(run.status == 1)
        #expect(run.output.contains("  Broken: no cover, spinning\n  Whole: 2 × 1, from the folder\n2 albums"))
    }

    @Test("A missing file gives one clear line and exit status 1; a missing folder, an empty one and a bad option 64")
    func whatIsMissingIsNamed() throws {
        let missing = try run(covers.path, "--title", "Nothing")
        #expect(missing.errors.hasPrefix("album: \(covers.path)/Nothing.png: it cannot be read: "))
        #expect(missing.status == 1)
        #expect(
            try run(covers.path)
                == .init(status: 64, output: "", errors: "album: the folder '\(covers.path)' contains no PNG file; see 'album --help'\n"))
        let nowhere = covers.appendingPathComponent("nowhere").path
        #expect(
            try run(nowhere)
                == .init(
                    status: 64, output: "", errors: "album: the folder '\(nowhere)' does not exist or cannot be read; see 'album --help'\n")
        )
        #expect(try run("--covers").errors == "album: unknown option '--covers'; see 'album --help'\n")
    }
}
