extension ObserverRegistrar {
    /// The list of a source that has one, if the source was ever observed.
    @usableFromInline
    var sourceList: Unretained<ObserverList>? { record?.with { $0.onlyList } }
}
