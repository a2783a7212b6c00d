internal import CSafeKVO

enum PropertyName {
    /// Finds the declared name of a stored property.
    ///
    /// `property` is the offset of the property in the objects of the class, or 0 for a key without storage. Returns `nil` for 0, and if
    /// the runtime knows no name.
    static func name(of type: AnyClass, _ property: UInt) -> String? {
        guard property != 0 else { return nil }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            // SAFETY: A class object is never deallocated. `safekvo_property_name` writes at most `buffer.count` bytes. If it
            // returns `true`, the name ends with a zero byte.
            let type = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
            guard let name = buffer.baseAddress, unsafe safekvo_property_name(type, property, name, buffer.count) else { return nil }
            let full = unsafe String(cString: name)
            // A property wrapper stores its value in a property whose name begins with an underscore.
            return full.hasPrefix("_") ? String(full.dropFirst()) : full
        }
    }
}

extension ObserverList {
    var propertyName: String? { PropertyName.name(of: record.subjectType, property) }

    package var name: String {
        title ?? propertyName ?? keyPath.map { Self.withoutRoot("\($0)") } ?? "events"
    }

    /// For example `Song.title`.
    package var qualifiedName: String { "\(record.subjectType).\(name)" }

    static func withoutRoot(_ keyPath: String) -> String {
        keyPath.firstIndex(of: ".").map { String(keyPath[keyPath.index(after: $0)...]) } ?? keyPath
    }
}
