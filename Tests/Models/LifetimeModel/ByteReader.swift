/// Decisions, one byte each; zero when there are no more.
package struct ByteReader {
    private let bytes: [UInt8]
    private var index = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var isAtEnd: Bool { index >= bytes.count }

    package mutating func next() -> Int {
        guard index < bytes.count else { return 0 }
        defer { index += 1 }
        return Int(bytes[index])
    }

    package mutating func below(_ limit: Int) -> Int { next() % limit }

    package mutating func chance(_ part: Int, of whole: Int) -> Bool { below(whole) < part }
}
