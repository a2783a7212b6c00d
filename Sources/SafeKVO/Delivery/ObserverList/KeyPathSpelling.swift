/// A further key path of the property whose observers are in a list: it begins with another class, as `\Sub.x` does beside `\Base.x`.
final class KeyPathSpelling {
    private let keyPath: AnyKeyPath
    private let next = OnceReference<KeyPathSpelling>()

    init(_ keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }

    /// Appends this key path to the linked list whose first link is `place`.
    func add(to place: borrowing OnceReference<KeyPathSpelling>) {
        let stored = place.store(self)
        if stored !== self { add(to: stored.next) }
    }

    func contains(_ matches: (AnyKeyPath) -> Bool) -> Bool { matches(keyPath) || next.with { $0.contains(matches) } ?? false }
}
