import Foundation

struct PNGFile {
    let width: Int
    let height: Int

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Throws the first ``Flaw`` in the signature, the order and length of the chunks, or their checksums.
    init(_ data: Data) throws(Flaw) {
        let bytes = [UInt8](data)
        guard bytes.starts(with: Self.signature) else { throw Flaw("it is not a PNG file: its signature is missing") }
        var position = Self.signature.count
        var size: (width: Int, height: Int)?
        var hasPixels = false
        while true {
            let chunk = try Chunk(bytes, at: position)
            position = chunk.end
            switch chunk.type {
            case "IHDR":
                guard size == nil, chunk.contents.count == 13 else { throw Flaw("its header has a wrong length or occurs twice") }
                let width = chunk.number(at: 0)
                let height = chunk.number(at: 4)
                guard width > 0, height > 0 else { throw Flaw("its width or height is zero") }
                size = (width, height)
            case "IDAT": hasPixels = true
            case "IEND":
                guard let size, hasPixels, position == bytes.count else { throw Flaw("it has no pixels, or bytes after its end") }
                (width, height) = size
                return
            default: break
            }
            if size == nil { throw Flaw("its first part is not a header") }
        }
    }

    struct Flaw: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }

    private struct Chunk {
        let type: String
        let contents: ArraySlice<UInt8>
        let end: Int

        init(_ bytes: [UInt8], at start: Int) throws(Flaw) {
            guard bytes.count >= start + 12 else { throw Flaw("it is cut off at byte \(bytes.count)") }
            let length = Self.number(bytes[start...])
            guard length <= bytes.count - start - 12 else { throw Flaw("it is cut off at byte \(bytes.count)") }
            let typeAndContents = bytes[(start + 4)..<(start + 8 + length)]
            type = String(decoding: typeAndContents.prefix(4), as: UTF8.self)
            contents = typeAndContents.dropFirst(4)
            end = start + 12 + length
            guard Self.number(bytes[(end - 4)...]) == Int(CRC32.checksum(of: typeAndContents)) else {
                throw Flaw("its part \(type) at byte \(start) has a wrong checksum")
            }
        }

        func number(at offset: Int) -> Int { Self.number(contents.dropFirst(offset)) }

        private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
            bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        }
    }
}
