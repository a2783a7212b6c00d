import Foundation

/// A slow download, simulated by reading a file in steps of 100 bytes.
@MainActor final class Download {
    let wish: CoverWanted
    let file: URL
    private var data = Data()
    private var handle: FileHandle?
    private var failure: (any Error)?
    private(set) var isFinished = false

    init(_ wish: CoverWanted, from file: URL) {
        self.wish = wish
        self.file = file
        do {
            handle = try FileHandle(forReadingFrom: file)
        } catch {
            failure = error
        }
    }

    func proceed() {
        do {
            guard let more = try handle?.read(upToCount: 100), !more.isEmpty else { return finish() }
            data.append(more)
        } catch {
            failure = error
            finish()
        }
    }

    private func finish() {
        isFinished = true
        try? handle?.close()
        handle = nil
    }

    func contents() throws -> Data {
        if let failure { throw failure }
        return data
    }
}
