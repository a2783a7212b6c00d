/// A topic: the name or type of the events that an observer selects, and optionally the object that the events are about.
package struct TopicKey: Hashable, Sendable {
    package enum Subject: Hashable, Sendable {
        /// All events that have a name.
        case anyName
        case name(MessageName)
        case type(ObjectIdentifier)
    }

    package let subject: Subject
    /// `nil` selects events about any object or none.
    ///
    /// A new object can have the identity of a deallocated one. So the user of the key must compare the objects, too.
    let object: ObjectIdentifier?

    init(_ subject: Subject, of object: AnyObject?) {
        self.init(subject, object.map { ObjectIdentifier($0) })
    }

    init(_ subject: Subject, _ object: ObjectIdentifier?) {
        self.subject = subject
        self.object = object
    }

    /// Adds one number to the hasher instead of several, which would take longer.
    package func hash(into hasher: inout Hasher) {
        let address = object.map { UInt(bitPattern: $0) } ?? 0
        switch subject {
        case .anyName: hasher.combine(address)
        case .name(let name): hasher.combine(UInt(bitPattern: name.hash) &+ address)
        case .type(let type): hasher.combine(UInt(bitPattern: type) &* 3 &+ address)
        }
    }
}
