extension ObserverRegistrar {
    /// The list of a source that has one, if the source was ever observed.
    // SAFETY: the registrar keeps the record.
    @usableFromInline
    var sourceList: Unretained<ObserverList>? { unsafe record?.with { $0.onlyList } }
}
