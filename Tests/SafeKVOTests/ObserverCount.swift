@testable import SafeKVO

extension KeyValueObservable {
    /// How many observers hang on the object, the library's own included, which follow what a path goes through.
    var observerCount: Int {
        var count = 0
        _ = keyValueRegistrar.observers.record?.object.firstList {
            count += $0.infos().count
            return false
        }
        return count
    }
}

extension ObservationSource {
    /// How many observers hang on the source's own list.
    var observerCount: Int { observationRegistrar.existingList?.infos().count ?? 0 }
}
