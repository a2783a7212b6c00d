/// One more key path that leads to a list.
final class KeyPathSpelling {
    let keyPath: AnyKeyPath
    /// Written before the spelling is published.
    var next: Unretained<KeyPathSpelling>?

    init(_ keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }
}
