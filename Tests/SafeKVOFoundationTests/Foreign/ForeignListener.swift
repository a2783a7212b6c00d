import CocoaDouble
import SafeKVO
import SafeKVOFoundation
import SafeKVOTesting

/// An observer of objects that another system observes, which writes down what it hears.
final class ForeignListener: Sendable {
    let log = EventLog<String>()
}

extension ObservationController {
    /// Observes a key path, told changes.
    @discardableResult
    func observe<Value>(
        _ object: CocoaObject?, _ name: String, as type: Value.Type, options: KeyValueObservingOptions = .new, tag: ObservationTag? = nil,
        removing: RemovingDuplicates<Value>? = nil, isolation: isolated (any Actor)? = #isolation, line: UInt = #line,
        handler: @escaping (Observer, CocoaObject, KeyValueChange<Value>) -> Void
    ) -> ObservationResult {
        let registration = Registration(.closure, options, tag, .ignore, isolation, #fileID, line, nil, removing?.filter)
        return observe(
            object, of: object?.runtime ?? CocoaRuntime(), ForeignKeyPath(name), registration, handler: handler)
    }

    /// Observes a key path, told values.
    @discardableResult
    func observe<Value>(
        _ object: CocoaObject?, valuesOf name: String, as type: Value.Type, tag: ObservationTag? = nil,
        isolation: isolated (any Actor)? = #isolation, line: UInt = #line, handler: @escaping (Observer, Value) -> Void
    ) -> ObservationResult {
        let registration = Registration(.closure, .value(true), tag, .ignore, isolation, #fileID, line, nil)
        return observe(
            object, of: object?.runtime ?? CocoaRuntime(), ForeignKeyPath(name), registration, valueHandler: handler)
    }

    @discardableResult
    func unobserve(_ object: CocoaObject?, _ name: String, tag: ObservationTag? = nil) -> Int {
        unobserve(object, of: object?.runtime ?? CocoaRuntime(), ForeignKeyPath(name), tag: tag)
    }
}

extension ObservationController where Observer == ForeignListener {
    /// Observes a key path, and writes down the changes.
    @discardableResult
    func log<Value>(
        _ object: CocoaObject?, _ name: String, as type: Value.Type, options: KeyValueObservingOptions = .new, tag: ObservationTag? = nil,
        removing: RemovingDuplicates<Value>? = nil, line: UInt = #line
    ) -> ObservationResult {
        observe(object, name, as: type, options: options, tag: tag, removing: removing, isolation: nil, line: line) {
            listener, _, change in
            var parts = ["\(change.kind)"]
            if change.isInitial { parts.append("initial") }
            if change.isPrior { parts.append("prior") }
            if let old = change.oldValue { parts.append("old \(old)") }
            if let new = change.newValue { parts.append("new \(new)") }
            if let indexes = change.indexes { parts.append("at \(indexes.ranges.flatMap { Array($0) })") }
            listener.log.append(parts.joined(separator: " "))
        }
    }
}

extension CocoaObject {
    /// Edits a list, and announces it.
    func edit(_ kind: KeyValueChangeKind, at indexes: Int..., key: String = "list", to list: [Any]) {
        let set = RangeSet(indexes.map { $0..<$0 + 1 })
        willChange(kind, valuesAt: set, forKey: key)
        store(list, forKey: key)
        didChange(kind, valuesAt: set, forKey: key)
    }
}
