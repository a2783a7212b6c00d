/// What an observer of a source with many kinds of events asks for.
package struct TopicKey: Hashable, Sendable {
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
        self.init(subject, object.map { ObjectIdentifier($0) })
    }

    init(_ subject: Subject, _ object: ObjectIdentifier?) {
        self.subject = subject
        self.object = object
    }

    var hash: UInt { Self.hash(subject, object) }

    /// A number for a topic: a name has one already, and an address is as good as one once its bits are mixed.
    static func hash(_ subject: Subject, _ object: ObjectIdentifier?) -> UInt {
        let address = object.map { UInt(bitPattern: $0) } ?? 0
        let number: UInt =
            switch subject {
            case .anyName: address
            case .name(let name): UInt(bitPattern: name.hash) &+ address
            case .type(let type): UInt(bitPattern: type) &* 3 &+ address
            }
        let mixed = number &* UInt(truncatingIfNeeded: 0x9E37_79B9_7F4A_7C15 as UInt64)
        return mixed ^ (mixed >> (UInt.bitWidth / 2))
    }
}
