internal import CSafeKVO

/// Functions that look up the names of stored properties in the runtime's metadata.
enum PropertyName {
    /// Returns the name of the property that is stored at an offset in the objects of a class.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - property: The offset of the property, or the identifier of a property without storage, which has no name.
    /// - Returns: The name; `nil` if the runtime does not know it.
    static func name(of type: AnyClass, _ property: UInt) -> String? {
        guard property != 0 else { return nil }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            // SAFETY: The class object is never deallocated. The buffer has the given size, and the function ends the name with
            // a zero if it returns `true`.
            let type = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
            guard let name = buffer.baseAddress, unsafe safekvo_property_name(type, property, name, buffer.count) else { return nil }
            let full = unsafe String(cString: name)
            // A property wrapper stores its value in a property whose name begins with an underscore.
            return full.hasPrefix("_") ? String(full.dropFirst()) : full
        }
    }
}

extension ObserverList {
    /// The name of the property whose observers this list holds; `nil` if there is no property or the runtime does not know its
    /// name.
    var propertyName: String? { PropertyName.name(of: record.subjectType, property) }

    /// A readable name for what this list's observers observe: a property name, the description of a key path, or a title.
    package var name: String {
        propertyName ?? keyPath.map { Self.withoutRoot("\($0)") } ?? title ?? "events"
    }

    /// The type of the observed object and the name of the list, as messages quote them: `Song.title`.
    package var qualifiedName: String { "\(record.subjectType).\(name)" }

    /// Returns a key path's description without its root type.
    static func withoutRoot(_ keyPath: String) -> String {
        keyPath.firstIndex(of: ".").map { String(keyPath[keyPath.index(after: $0)...]) } ?? keyPath
    }
}
