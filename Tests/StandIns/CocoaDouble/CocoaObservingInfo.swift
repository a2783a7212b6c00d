import Foundation
import SafeKVO

/// Who observes one object: what `observationInfo` points at.
final class CocoaObservingInfo: @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) everything belongs to `lock`.

    /// One registration for one key.
    struct Entry {
        let number: Int
        /// Not retained: of who has gone without being removed, only this is known.
        let observer: CocoaObserver.Reference
        /// As it was registered.
        let keyPath: String
        let key: String
        let options: CocoaOptions
        let context: UInt
        /// Follows the rest of the path.
        let nested: CocoaNestedPath?
        /// What the key depends on, at other objects.
        let dependencies: [CocoaDependency]
        /// Whether the registration is complete.
        var isComplete = false
    }

    /// A change that was announced.
    private struct Open {
        var depth = 1
        var observers: [(entry: Entry, old: Any?)]
    }

    private let lock = NSRecursiveLock()
    private var entries: [Entry] = []
    /// For each key, the innermost last.
    private var open: [String: [Open]] = [:]
    private var last = 0
    /// The thread that registers or unregisters, and how deep.
    private var user: (thread: ObjectIdentifier, depth: Int)?

    var count: Int { lock.withLock { entries.count } }

    // MARK: Registering

    func add(_ observer: CocoaObserver, _ keyPath: String, _ options: CocoaOptions, _ context: UInt, to object: CocoaObject) {
        enter(keyPath, object.runtime)
        defer { leave() }
        let (key, rest) = CocoaObject.split(keyPath)
        object.willRegister(forKey: key)
        let nested = rest.map { CocoaNestedPath(observer, keyPath, rest: $0, options, context, root: object) }
        let dependencies = object.keysAffectingValue(forKey: key).sorted().compactMap { keyPath -> CocoaDependency? in
            let (first, rest) = CocoaObject.split(keyPath)
            return rest.map { CocoaDependency((first, $0), of: key, object) }
        }
        let number = lock.withLock {
            last += 1
            entries.append(
                Entry(
                    number: last, observer: observer.reference, keyPath: keyPath, key: key, options: options, context: context,
                    nested: nested, dependencies: dependencies))
            return last
        }
        for dependency in dependencies { dependency.attach(through: object) }
        nested?.attach(to: object.isCompliant(for: key) ? object.value(forKey: key) : nil)
        // Another thread might come here.
        sched_yield()
        if options.contains(.initial) {
            var change: [CocoaChangeKey: Any] = [.kind: KeyValueChangeKind.setting]
            if options.contains(.new) { change[.new] = object.value(forKeyPath: keyPath) ?? CocoaNull.null }
            tell(observer, keyPath, object, change, context)
        }
        lock.withLock {
            if let index = entries.firstIndex(where: { $0.number == number }) { entries[index].isComplete = true }
        }
    }

    func remove(_ observer: CocoaObserver, _ keyPath: String, _ context: UInt, from object: CocoaObject) {
        enter(keyPath, object.runtime)
        defer { leave() }
        sched_yield()
        let (removed, exception) = lock.withLock { () -> (Entry?, CocoaException?) in
            guard
                let index = entries.lastIndex(where: {
                    $0.observer === observer.reference && $0.keyPath == keyPath && $0.context == context
                })
            else { return (nil, .notRegistered(keyPath: keyPath)) }
            if !entries[index].isComplete { return (nil, .notYetRegistered(keyPath: keyPath)) }
            return (entries.remove(at: index), nil)
        }
        if let exception { object.runtime.raise(exception) }
        removed?.nested?.detach()
        for dependency in removed?.dependencies ?? [] { dependency.detach(through: object) }
    }

    /// What depends on what is reached through a key.
    private func dependencies(through key: String) -> [CocoaDependency] {
        lock.withLock { entries.flatMap(\.dependencies) }.filter { $0.first == key }
    }

    /// Notices two threads.
    private func enter(_ keyPath: String, _ runtime: CocoaRuntime) {
        let me = ObjectIdentifier(Thread.current)
        let isShared = lock.withLock {
            guard let user, user.thread != me else {
                self.user = (me, (self.user?.depth ?? 0) + 1)
                return false
            }
            self.user = (me, user.depth + 1)
            return true
        }
        if isShared { runtime.raise(.usedByTwoThreads(keyPath: keyPath)) }
    }

    private func leave() {
        lock.withLock {
            user?.depth -= 1
            if user?.depth == 0 { user = nil }
        }
    }

    func objectWasDeallocated(_ runtime: CocoaRuntime) {
        let left = lock.withLock { entries.map(\.keyPath) }
        if !left.isEmpty && runtime.raisesInDealloc { runtime.raise(.deallocatedWhileObserved(keyPaths: left)) }
    }

    // MARK: Changes

    /// A key, and those observed ones that depend on it.
    func keys(affectedBy key: String, _ object: CocoaObject) -> [String] {
        let observed = Set(lock.withLock { entries.map(\.key) + open.keys })
        return [key]
            + observed.filter { other in
                other != key && object.keysAffectingValue(forKey: other).contains { CocoaObject.split($0).key == key }
            }.sorted()
    }

    func willChange(_ kind: KeyValueChangeKind, _ indexes: RangeSet<Int>?, _ key: String, _ object: CocoaObject) {
        for dependency in dependencies(through: key) { dependency.detach(through: object) }
        // The last that registered comes first.
        let observers = lock.withLock { () -> [Entry]? in
            if object.runtime.mergesNestedChanges, let last = open[key]?.indices.last {
                open[key]?[last].depth += 1
                return nil
            }
            let observers = Array(entries.filter { $0.key == key }.reversed())
            open[key, default: []].append(Open(observers: observers.map { ($0, nil) }))
            return observers
        }
        guard let observers else { return }
        var olds: [Int: Any] = [:]
        for entry in observers where entry.options.contains(.old) {
            let whole = entry.nested?.leaf ?? object.value(forKeyPath: entry.keyPath)
            olds[entry.number] = elements(of: whole, indexes, unless: kind == .insertion, key, object)
        }
        lock.withLock {
            if let last = open[key]?.indices.last { open[key]?[last].observers = observers.map { ($0, olds[$0.number]) } }
        }
        for entry in observers where entry.options.contains(.prior) && isThere(entry) {
            var change: [CocoaChangeKey: Any] = [.kind: entry.nested == nil ? kind : .setting, .notificationIsPrior: true]
            if entry.nested == nil { change[.indexes] = indexes }
            change[.old] = olds[entry.number]
            tell(entry.observer.observer, entry.keyPath, object, change, entry.context)
        }
    }

    func didChange(_ kind: KeyValueChangeKind, _ indexes: RangeSet<Int>?, _ keys: [String], _ object: CocoaObject) {
        for key in keys { for dependency in dependencies(through: key) { dependency.attach(through: object) } }
        let ended = lock.withLock { keys.map { ($0, end($0)) } }
        for (key, open) in ended.reversed() { tell(open, kind, indexes, key, object) }
    }

    /// Ends the innermost change of a key, if its outermost announcement is over.
    private func end(_ key: String) -> Open? {
        guard let last = open[key]?.indices.last else { return nil }
        open[key]?[last].depth -= 1
        guard open[key]?[last].depth == 0 else { return nil }
        defer { if open[key]?.isEmpty ?? false { open[key] = nil } }
        return open[key]?.removeLast()
    }

    private func tell(_ ended: Open?, _ kind: KeyValueChangeKind, _ indexes: RangeSet<Int>?, _ key: String, _ object: CocoaObject) {
        for (entry, old) in ended?.observers ?? [] where isThere(entry) {
            if let nested = entry.nested {
                nested.detach()
                nested.attach(to: object.value(forKey: key))
            }
            var change: [CocoaChangeKey: Any] = [.kind: entry.nested == nil ? kind : .setting]
            if entry.nested == nil { change[.indexes] = indexes }
            change[.old] = old
            if entry.options.contains(.new) {
                let whole = object.value(forKeyPath: entry.keyPath)
                change[.new] = elements(of: whole, indexes, unless: kind == .removal, key, object)
            }
            tell(entry.observer.observer, entry.keyPath, object, change, entry.context)
        }
    }

    private func isThere(_ entry: Entry) -> Bool {
        lock.withLock { entries.contains { $0.number == entry.number } }
    }

    /// What a change dictionary says of a value.
    private func elements(
        of whole: Any?, _ indexes: RangeSet<Int>?, unless isAbsent: Bool, _ key: String, _ object: CocoaObject
    ) -> Any? {
        guard let indexes else { return whole ?? CocoaNull.null }
        if isAbsent { return nil }
        let all = whole as? [Any] ?? []
        if (indexes.ranges.last?.upperBound ?? 0) > all.count {
            object.runtime.raise(.outOfRange(key: key))
            return nil
        }
        return indexes.ranges.flatMap { all[$0] }
    }

    private func tell(
        _ observer: CocoaObserver?, _ keyPath: String, _ object: CocoaObject, _ change: [CocoaChangeKey: Any], _ context: UInt
    ) {
        guard let observer else { return object.runtime.raise(.observerIsGone(keyPath: keyPath)) }
        if !observer.observeValue(forKeyPath: keyPath, of: object, change: change, context: context) {
            object.runtime.raise(.notHandled(keyPath: keyPath))
        }
    }
}
