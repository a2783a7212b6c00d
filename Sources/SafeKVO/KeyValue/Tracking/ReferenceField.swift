internal import CSafeKVO

/// A stored property that holds one strong reference to an object, as the Swift runtime describes it.
struct ReferenceField {
    let name: String
    /// The offset of the reference in the object, in bytes.
    let offset: UInt
    /// `true` if the property is a `let`.
    let isConstant: Bool
    /// The declared class of the property.
    let type: AnyClass

    /// Returns the stored properties of a class that hold one strong reference, including inherited ones.
    ///
    /// The result is empty if reflection is turned off.
    static func fields(of type: AnyClass) -> [ReferenceField] {
        // SAFETY: a class is the address of its metadata, which is never freed.
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
            // SAFETY: the runtime returns the metadata of the field's type, and a metatype is the address of that metadata.
            let fieldType = unsafe unsafeBitCast(type, to: Any.Type.self)
            guard let reference = Self.reference(fieldType) else { return nil }
            return unsafe ReferenceField(name: String(cString: start), offset: field.offset, isConstant: field.is_constant, type: reference)
        }
    }

    /// Returns the class if a type is a class or an optional of a class; otherwise nil.
    static func reference(_ type: Any.Type) -> AnyClass? { type as? AnyClass ?? (type as? any OptionalReference.Type)?.reference }

    /// Returns `true` if a class has a constant with this name, whatever its type.
    static func hasConstant(_ name: Substring, in type: AnyClass) -> Bool {
        // SAFETY: a class is the address of its metadata, which is never freed.
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

    /// Returns the address of the object that this field holds, or zero if it holds nil.
    ///
    /// The caller keeps the owner of the field alive. If the field is a variable, the address may only be compared.
    func word(in object: AnyObject) -> UInt { Self.word(at: offset, in: Unretained(object).word) }

    /// Follows constant fields from one object to the next; returns the address of the last object, or zero if a field holds nil.
    ///
    /// - Parameters:
    ///   - offsets: The offset of each field in the object that holds it.
    ///   - object: The address of the first object. It has the class for which the offsets were found, and the caller keeps it alive.
    static func follow(_ offsets: [UInt], from object: UInt) -> UInt {
        offsets.reduce(object) { $0 == 0 ? 0 : word(at: $1, in: $0) }
    }

    private static func word(at offset: UInt, in object: UInt) -> UInt {
        // SAFETY: the object is alive, and the runtime says that a reference is stored there. A constant is initialized before other code
        // can use the object, and is never written again. A variable may be read wherever the object may be used.
        unsafe UnsafeRawPointer(bitPattern: object &+ offset)?.load(as: UInt.self) ?? 0
    }
}

/// Gives access to the class that an optional type wraps; nil if it wraps another type.
private protocol OptionalReference {
    static var reference: AnyClass? { get }
}

extension Optional: OptionalReference {
    fileprivate static var reference: AnyClass? { Wrapped.self as? AnyClass }
}
