/// A place in the program's source at which an observation was registered or a property was declared.
public struct SourcePosition: Sendable {
    /// The address of the bytes of a `StaticString`, or zero if the position is unknown.
    let file: UInt
    /// The line number.
    ///
    /// Lines above 65 535 have the number 65 535.
    public let line: UInt16

    init(file: UInt, line: UInt16) {
        self.file = file
        self.line = line
    }

    @usableFromInline package init(fileID: StaticString, line: UInt) {
        file = fileID.hasPointerRepresentation ? unsafe UInt(bitPattern: fileID.utf8Start) : 0
        self.line = UInt16(clamping: line)
    }

    package static let unknown = SourcePosition(file: 0, line: 0)

    /// The module and the name of the file, in the form of `#fileID`.
    public var fileID: String {
        // SAFETY: the bytes of a `StaticString` stay valid and constant while the program runs.
        unsafe UnsafePointer<UInt8>(bitPattern: file).map { unsafe String(cString: $0) } ?? "unknown"
    }
}

extension SourcePosition: Equatable {
    /// Returns a Boolean value that indicates whether two positions name the same line of the same file.
    public static func == (left: SourcePosition, right: SourcePosition) -> Bool {
        left.line == right.line && (left.file == right.file || left.fileID == right.fileID)
    }
}

extension SourcePosition: CustomStringConvertible {
    /// The position as text, in the form `Module/File.swift:12`.
    public var description: String { "\(fileID):\(line)" }
}
