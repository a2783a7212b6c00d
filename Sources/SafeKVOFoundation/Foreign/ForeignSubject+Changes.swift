internal import CSafeKVO
internal import SafeKVO

extension ForeignSubject {
    // MARK: Registrations with the system

    /// Adds `change`, 1 or -1, to the number of observers of a key, which is registered with the other system while there are any.
    ///
    /// If another thread is changing the object's registrations, that thread makes this change, too. No thread waits.
    func count(_ key: ForeignKey, _ change: Int) {
        let object = object
        let isMine = lock.withLock {
            key.observers += change
            waiting.append(key)
            if object == nil { return false }
            if turn.take(on: safekvo_thread(), mayNest: false) == .taken { return true }
            if change > 0 { late.append(key) }
            return false
        }
        guard let object, isMine else { return }
        var told: [ForeignKey] = []
        repeat {
            while let (next, isWanted) = lock.withLock({ nextRegistration() }) {
                Recording.suspended {
                    isWanted ? system.register(next.name, of: object) : system.unregister(next.name, of: object)
                }
                if !isWanted { _ = lock.withLock { next.takeChanges() } }
            }
        } while lock.withLock {
            if turn.pass(mayRepeat: true) { return true }
            swap(&told, &late)
            return false
        }
        // This comes last, because it runs getters and handlers of the program.
        Recording.suspended { for key in told { deliverPresent(key) } }
    }

    /// Returns a key whose registration with the other system must be made or ended; the caller must hold `lock`.
    private func nextRegistration() -> (key: ForeignKey, isWanted: Bool)? {
        turn.begin()
        while let key = waiting.popLast() {
            let isWanted = key.observers > 0 && !isClosed
            if isWanted == key.isRegistered { continue }
            key.isRegistered = isWanted
            return (key, isWanted)
        }
        return nil
    }

    func objectIsGoing() {
        let left = lock.withLock {
            isClosed = true
            return keys.values.filter { $0.isRegistered }
        }
        // SAFETY: the object is being deallocated, so its memory still exists.
        for key in left { unsafe reference.with { system.unregister(key.name, of: $0) } }
        record.subjectDidDie()
    }

    /// Hands the observers of a key its present value, because they have registered before the library could register with the other system.
    private func deliverPresent(_ key: ForeignKey) {
        for info in key.infos where info.isDependency || info.flags.contains(.initialCall) {
            let notify: @Sendable () -> Void = { self.deliverPresent(key, to: info) }
            if let isolation = info.isolationElsewhere { isolation.enqueue(notify) } else { notify() }
        }
    }

    private func deliverPresent(_ key: ForeignKey, to info: ObservationInfo) {
        guard object != nil, !info.isOver else { return }
        let number = key.numberChange()
        var event = KeyValueEvent(subject: self, phase: .after, new: self[keyPath: key.keyPath], old: nil)
        event.header.number = number
        event.header.isByHand = true
        event.withPointer { pointer, box in ObservationBroker.shared.forwardAlone(pointer, to: info, box: box) }
    }

    // MARK: Changes

    /// Handles a change of a key that the other system reports on the changing thread.
    package static func report(_ change: ForeignChange, of name: String, of object: AnyObject, in system: any KeyValueSystem) {
        guard let subject = existing(for: object, of: system), let key = subject.existingKey(name), let object = subject.object else {
            return
        }
        withExtendedLifetime(object) { subject.take(change, of: key) }
    }

    private func take(_ change: ForeignChange, of key: ForeignKey) {
        let elements = change.isPrior ? change.announced(in: system) : nil
        let position = elements == nil ? .unknown : key.infos.first { !$0.isOver }?.position ?? .unknown
        let manual = ManualChange(root: self, keyPath: key.keyPath, elements: elements, position: position)
        if change.isPrior {
            var forgotten: AnnouncementPart?
            manual.begin(key.list) { part in forgotten = lock.withLock { key.open(part) } }
            withExtendedLifetime(forgotten) {}
        } else if let part = lock.withLock({ key.takeOpen() }) {
            // The old value may be the last reference to an object on a path. Its registration ends before the object does.
            ChangeBatch.keep(part)
            withExtendedLifetime(part) { manual.end(part, key.list) }
        }
    }
}
