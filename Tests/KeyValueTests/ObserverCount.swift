@testable import SafeKVO

extension KeyValueObservable {
    /// How many observers hang on the object, the library's own included, which follow what a path goes through.
    var observerCount: Int {
        var count = 0
        keyValueRegistrar.observers.record?.forEachList { count += $0.infos().count }
        return count
    }

    /// How many lists of observers have been made for the object.
    var madeListCount: UInt32 { keyValueRegistrar.observers.record?.listCount ?? 0 }

    /// How many lists a setter may have to look at.
    var propertyListCount: Int {
        var count = 0
        keyValueRegistrar.observers.record?.properties.forEach { _ in count += 1 }
        return count
    }
}
