internal import CSafeKVO

/// A stored property that holds one strong reference to an object, found in the metadata of the Swift runtime.
struct ReferenceField {
    let name: String
    let offset: UInt
    let isConstant: Bool
    let type: AnyClass

    /// Returns the strong references that a class and its superclasses store; none if reflection metadata is turned off.
    static func fields(of type: AnyClass) -> [ReferenceField] {
        descriptions(of: type) { name, field in
            // SAFETY: the runtime reports the address of the metadata of the field's type, and a metatype is such an address.
            guard field.is_strong, let type = unsafe unsafeBitCast(field.type, to: Any.Type?.self) else { return nil }
            return reference(type).map { ReferenceField(name: name(), offset: field.offset, isConstant: field.is_constant, type: $0) }
        }
    }

    /// Calls a closure with each stored property of a class and its superclasses, and returns the results that are not nil.
    private static func descriptions<Result>(
        of type: AnyClass, _ body: (_ name: () -> String, _ field: safekvo_field) -> Result?
    ) -> [Result] {
        // SAFETY: a class reference is the address of the class's metadata, which is never freed. `read` writes a name with a final zero
        // byte into the memory, or returns false.
        let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { name in
            guard let start = name.baseAddress else { return [] }
            return unsafe (0..<safekvo_field_count(metadata)).compactMap { index in
                var field = safekvo_field()
                let isRead = unsafe safekvo_read_field(metadata, index, &field, start, name.count)
                return isRead ? body({ unsafe String(cString: start) }, field) : nil
            }
        }
    }

    static func reference(_ type: Any.Type) -> AnyClass? { type as? AnyClass ?? (type as? any OptionalReference.Type)?.reference }

    static func hasConstant(_ name: Substring, in type: AnyClass) -> Bool {
        !descriptions(of: type) { found, field in field.is_constant && found() == name ? true : nil }.isEmpty
    }

    /// Returns the object that this field of `owner` holds; nil if the field is a variable or holds nil.
    func constant(in owner: AnyObject) -> AnyObject? {
        // SAFETY: the field belongs to the class of `owner`. The caller retains `owner`, whose constant (`let`) retains its value.
        isConstant ? unsafe Unretained<AnyObject>(word: word(in: owner))?.object : nil
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
