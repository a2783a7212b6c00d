extension KeyValueObservable {
    /// How many observations hang on the object: those that somebody asked for, and those with which the library follows dependencies.
    ///
    /// For the tests of this package, which want none left.
    package var observationRecords: (observers: Int, dependencies: Int) {
        var counts = (observers: 0, dependencies: 0)
        // SAFETY: the registrar keeps the record, and the record its lists.
        unsafe keyValueRegistrar.record(ownedBy: self)?.object.forEachList { list in
            for info in unsafe list.object.infos() {
                if info.isDependency { counts.dependencies += 1 } else { counts.observers += 1 }
            }
        }
        return counts
    }
}
