@testable import SafeKVO

extension KeyValueObservable {
    /// How many observers hang on the object, the library's own included, which follow what a path goes through.
    var observerCount: Int {
        var count = 0
        keyValueRegistrar.observers.record?.object.forEachList { count += $0.object.infos().count }
        return count
    }

    /// How many lists a setter may have to look at.
    var propertyListCount: Int {
        var count = 0
        keyValueRegistrar.observers.record?.object.properties.forEach { _ in count += 1 }
        return count
    }
}
