internal import CSafeKVO

extension ObserverList {
    /// What the list is the list of, for people.
    ///
    /// - Parameter subject: The subject, if it is still there: without it, an ``AtomicObserved`` property has no name.
    /// - Returns: the name of a property, or what a key path tells of itself.
    func name(in subject: AnyObject?) -> String {
        propertyName(in: subject) ?? keyPath.map { Self.withoutRoot("\($0)") } ?? title ?? "events"
    }

    /// The name of the property that is observed, if it is a property and the runtime knows its name.
    private func propertyName(in subject: AnyObject?) -> String? {
        guard property != 0 else { return nil }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            // SAFETY: the class object lives as long as the program, the subject as long as the call; the buffer is as large as said, and ended by zero if the answer is yes.
            let type = unsafe unsafeBitCast(record.subjectType, to: UnsafeRawPointer.self)
            let object = unsafe subject.map { unsafe UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
            guard let name = buffer.baseAddress, unsafe safekvo_property_name(type, object, property, name, buffer.count) else {
                return nil
            }
            let full = unsafe String(cString: name)
            // The storage of a wrapped property has its name with an underscore.
            return full.hasPrefix("_") ? String(full.dropFirst()) : full
        }
    }

    /// A key path without the type that it begins with, which is told elsewhere.
    private static func withoutRoot(_ keyPath: String) -> String {
        keyPath.firstIndex(of: ".").map { String(keyPath[keyPath.index(after: $0)...]) } ?? keyPath
    }
}
