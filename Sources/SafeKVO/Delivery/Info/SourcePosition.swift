/// A place in the program's source: where an observation was registered or a property declared.
@safe
public struct SourcePosition {
    /// The bytes of the file's name, ended by zero, in the program's constants; nil when unknown.
    let file: UnsafePointer<UInt8>?
    /// The line; 65 535 stands for any line behind it.
    public let line: UInt16

    init(file: UnsafePointer<UInt8>?, line: UInt16) {
        unsafe self.file = file
        self.line = line
    }

    /// Makes a position of the values of `#fileID` and `#line`.
    public init(fileID: StaticString, line: UInt) {
        unsafe file = fileID.hasPointerRepresentation ? fileID.utf8Start : nil
        self.line = UInt16(clamping: line)
    }

    /// No place at all.
    package static let unknown = unsafe SourcePosition(file: nil, line: 0)

    /// The module and the name of the file, as `#fileID` gives them.
    public var fileID: String {
        unsafe file.map { unsafe String(cString: $0) } ?? "unknown"
    }
}

// SAFETY: the pointer comes from a `StaticString`, whose bytes live and stay the same as long as the program.
extension SourcePosition: @unchecked Sendable {}

extension SourcePosition: Equatable {
    /// Whether two positions name the same line of the same file.
    public static func == (left: SourcePosition, right: SourcePosition) -> Bool {
        // SAFETY: the pointers are compared, and not followed.
        left.line == right.line && (unsafe left.file == right.file || left.fileID == right.fileID)
    }
}

extension SourcePosition: CustomStringConvertible {
    /// `Module/File.swift:12`.
    public var description: String { "\(fileID):\(line)" }
}
