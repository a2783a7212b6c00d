/// A place in the program's source at which an observation was registered or a property was declared.
@safe
public struct SourcePosition {
    let file: UnsafePointer<UInt8>?
    /// The line number.
    ///
    /// Lines above 65 535 have the number 65 535.
    public let line: UInt16

    init(file: UnsafePointer<UInt8>?, line: UInt16) {
        unsafe self.file = file
        self.line = line
    }

    /// Creates a position from the values of `#fileID` and `#line`.
    public init(fileID: StaticString, line: UInt) {
        unsafe file = fileID.hasPointerRepresentation ? fileID.utf8Start : nil
        self.line = UInt16(clamping: line)
    }

    package static let unknown = unsafe SourcePosition(file: nil, line: 0)

    /// The module and the name of the file, in the form of `#fileID`.
    public var fileID: String {
        unsafe file.map { unsafe String(cString: $0) } ?? "unknown"
    }
}

// SAFETY: the pointer comes from a `StaticString`, whose bytes stay valid and constant while the program runs.
extension SourcePosition: @unchecked Sendable {}

extension SourcePosition: Equatable {
    /// Returns a Boolean value that indicates whether two positions name the same line of the same file.
    public static func == (left: SourcePosition, right: SourcePosition) -> Bool {
        // SAFETY: the pointers are only compared, not dereferenced.
        left.line == right.line && (unsafe left.file == right.file || left.fileID == right.fileID)
    }
}

extension SourcePosition: CustomStringConvertible {
    /// The position as text, in the form `Module/File.swift:12`.
    public var description: String { "\(fileID):\(line)" }
}
