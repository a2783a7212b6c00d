internal import CSafeKVO

/// The names of observed properties, as far as the runtime knows them.
enum PropertyName {
    /// The name of the property that is stored at an offset in the objects of a class.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - property: The offset, or what identifies a property without a size, which has no name.
    /// - Returns: the name; nil if the runtime does not say.
    static func name(of type: AnyClass, _ property: UInt) -> String? {
        guard property != 0 else { return nil }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            // SAFETY: the class object lives as long as the program; the buffer is as large as said, and ended by zero if the answer is yes.
            let type = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
            guard let name = buffer.baseAddress, unsafe safekvo_property_name(type, property, name, buffer.count) else { return nil }
            let full = unsafe String(cString: name)
            // The storage of a wrapped property has its name with an underscore.
            return full.hasPrefix("_") ? String(full.dropFirst()) : full
        }
    }
}

extension ObserverList {
    /// The name of the property that the list is about; nil if it is about something else, or if the runtime does not say.
    var propertyName: String? { PropertyName.name(of: record.subjectType, property) }

    /// The name of what the list is about, for people: of a property, or what a key path tells of itself.
    package var name: String {
        propertyName ?? keyPath.map { Self.withoutRoot("\($0)") } ?? title ?? "events"
    }

    /// The type of the observed object and the name of the list, as messages quote them: `Song.title`.
    package var qualifiedName: String { "\(record.subjectType).\(name)" }

    /// A key path without the type that it begins with, which is told elsewhere.
    static func withoutRoot(_ keyPath: String) -> String {
        keyPath.firstIndex(of: ".").map { String(keyPath[keyPath.index(after: $0)...]) } ?? keyPath
    }
}
