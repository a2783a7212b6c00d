extension ForeignSubject {
    /// How many observations hang on an object, and which key paths a system has registrations for there: one for each.
    ///
    /// For the tests of this package, which want none left.
    package static func records(of object: AnyObject, in system: any KeyValueSystem) -> (observers: Int, registrations: [String]) {
        guard let subject = existing(for: object, of: system) else { return (0, []) }
        let observers = subject.lists.reduce(0) { $0 + $1.infos().count }
        return (observers, subject.registeredNumbers.map { ForeignRegistrations.name(of: $0) })
    }
}
