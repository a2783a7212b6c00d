internal import CSafeKVO

/// A stored property that holds one strong reference to an object, found in the metadata of the Swift runtime.
struct ReferenceField {
    let name: String
    let offset: UInt
    let isConstant: Bool
    let type: AnyClass

    /// Returns the strong references that a class and its superclasses store; none if reflection metadata is turned off.
    static func fields(of type: AnyClass) -> [ReferenceField] {
        // SAFETY: a class reference is the address of the class's metadata, which is never freed.
        let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
        return unsafe (0..<safekvo_field_count(metadata)).compactMap { unsafe field(of: metadata, at: $0) }
    }

    private static func field(of metadata: UnsafeRawPointer, at index: Int) -> ReferenceField? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { name in
            var field = unsafe safekvo_field()
            guard let start = name.baseAddress, unsafe safekvo_read_field(metadata, index, &field, start, name.count),
                unsafe field.is_strong,
                let type = unsafe field.type
            else { return nil }
            // SAFETY: `type` is the address of the metadata of the field's type, and a metatype is such an address.
            let fieldType = unsafe unsafeBitCast(type, to: Any.Type.self)
            guard let reference = Self.reference(fieldType) else { return nil }
            return unsafe ReferenceField(name: String(cString: start), offset: field.offset, isConstant: field.is_constant, type: reference)
        }
    }

    static func reference(_ type: Any.Type) -> AnyClass? { type as? AnyClass ?? (type as? any OptionalReference.Type)?.reference }

    static func hasConstant(_ name: Substring, in type: AnyClass) -> Bool {
        // SAFETY: a class reference is the address of the class's metadata, which is never freed.
        let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
        return unsafe (0..<safekvo_field_count(metadata)).contains { index in
            unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
                var field = unsafe safekvo_field()
                guard let start = buffer.baseAddress, unsafe safekvo_read_field(metadata, index, &field, start, buffer.count) else {
                    return false
                }
                return unsafe field.is_constant && String(cString: start) == name
            }
        }
    }

    /// Returns the address of the object that this field holds, or zero for nil.
    ///
    /// If the field is a variable, the caller may only compare the address.
    func word(in object: AnyObject) -> UInt { Self.word(at: offset, in: Unretained(object).word) }

    /// Returns the address of the object to which constants (`let`) at these offsets lead, or zero for nil.
    ///
    /// The caller keeps the first object alive. Each offset belongs to the class of the object that holds the constant.
    static func follow(_ offsets: [UInt], from object: UInt) -> UInt {
        offsets.reduce(object) { $0 == 0 ? 0 : word(at: $1, in: $0) }
    }

    private static func word(at offset: UInt, in object: UInt) -> UInt {
        // SAFETY: the object is alive, and stores a reference at `offset`, as the runtime says. A constant is initialized before other code
        // can use the object, and never written again. A variable is read only by callers that may access the object.
        unsafe UnsafeRawPointer(bitPattern: object &+ offset)?.load(as: UInt.self) ?? 0
    }
}

private protocol OptionalReference {
    static var reference: AnyClass? { get }
}

extension Optional: OptionalReference {
    fileprivate static var reference: AnyClass? { Wrapped.self as? AnyClass }
}
