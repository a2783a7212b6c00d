/// What an observer of a source with many kinds of events asks for.
package struct Topic: Hashable, Sendable {
    /// The kinds of events.
    package enum Subject: Hashable, Sendable {
        /// All that have names.
        case anyName
        /// Those with a name.
        case name(MessageName)
        /// Those of a type.
        case type(ObjectIdentifier)
    }

    /// Which kind of events.
    package let subject: Subject
    /// Of which object; nil for any and none.
    ///
    /// An address: whoever finds a topic by it looks whether it is still that object.
    let object: ObjectIdentifier?

    init(_ subject: Subject, of object: AnyObject?) {
        self.subject = subject
        self.object = object.map { ObjectIdentifier($0) }
    }

    /// One number goes into the hasher: a topic is looked up, several times, for each message that is posted.
    package func hash(into hasher: inout Hasher) {
        let address = object.map { UInt(bitPattern: $0) } ?? 0
        switch subject {
        case .anyName: hasher.combine(address)
        case .name(let name): hasher.combine(UInt(bitPattern: name.hash) &+ address)
        case .type(let type): hasher.combine(UInt(bitPattern: type) &* 3 &+ address)
        }
    }
}
