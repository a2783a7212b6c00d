internal import Synchronization

/// What an observer list knows of its key: its key paths, and how its changes are announced.
extension ObserverList {
    // The bits of `interventions`.
    private static let byHandOnly: UInt32 = 1
    private static let readsGetter: UInt32 = 1 << 1
    private static let isUnexamined: UInt32 = 1 << 2
    private static let isOverridden: UInt32 = 1 << 3
    private static let isOfOverride: UInt32 = 1 << 4
    private static let dependsOnOthers: UInt32 = 1 << 6
    private static let isOfReportedKey: UInt32 = 1 << 7

    // MARK: Manual notifications

    /// Stops assignments from notifying observers, so that only manual notifications do.
    ///
    /// Must be called before the property is observed.
    final func announceByHandOnly() {
        interventions.bitwiseOr(Self.byHandOnly, ordering: .relaxed)
    }

    /// `true` if an assignment needs further checks before it notifies the observers.
    @inline(__always)
    final var hasInterventions: Bool {
        interventions.load(ordering: .relaxed) != 0 || withRecord { $0.hasAnnouncements || $0.mayBeObservedEntirely }
    }

    /// `true` if this thread is inside a manual notification of this key.
    final var isChangingHere: Bool { withRecord { $0.hasAnnouncements && $0.isChangingHere(self) } }

    /// `true` if a change of this key on this thread is part of a manual notification, which counts it.
    final func swallowsChange() -> Bool { withRecord { $0.hasAnnouncements && $0.swallowsChange(of: self) } }

    /// Notes that a getter has called `access(_:)` with the key, which is no stored property.
    final func noteReport() { if property == 0 { interventions.bitwiseOr(Self.isOfReportedKey, ordering: .relaxed) } }

    final var isReported: Bool { interventions.load(ordering: .relaxed) & Self.isOfReportedKey != 0 }

    // MARK: Overridden properties

    /// Notes that the object's class may override the property, so that observers get what the getter returns.
    ///
    /// Must be called before the property is observed.
    final func noteInheritance() { interventions.bitwiseOr(Self.readsGetter | Self.isUnexamined, ordering: .relaxed) }

    /// `true` if observers receive the result of the property's getter, because the object's class may override the getter.
    @usableFromInline
    final var readsThroughGetter: Bool { interventions.load(ordering: .relaxed) & Self.readsGetter != 0 }

    /// Notes that the object's class does not override the property, because the getter has returned the stored value.
    final func noteGetterReadsStorage() { interventions.bitwiseAnd(~Self.isUnexamined, ordering: .relaxed) }

    /// Marks the list of a base class's property that the object's class overrides.
    ///
    /// Observers are then registered with the list of the overriding property instead.
    final func noteOverride() { interventions.bitwiseOr(Self.isOverridden, ordering: .relaxed) }

    /// Notes that this list belongs to a computed property that overrides a stored one.
    ///
    /// A search for `\Base.x` then also finds the list of `\Sub.x`.
    final func noteOverriding() {
        if interventions.bitwiseOr(Self.isOfOverride, ordering: .relaxed).oldValue & Self.isOfOverride != 0 { return }
        withRecord { $0.add(self, at: ListKey.overriding) }
    }

    final var isOverriding: Bool { interventions.load(ordering: .relaxed) & Self.isOfOverride != 0 }

    /// Returns `true` if the key path names this list's property, and nobody has checked yet whether a subclass overrides the property.
    final func isUnexamined(_ keyPath: AnyKeyPath) -> Bool {
        interventions.load(ordering: .relaxed) & (Self.isUnexamined | Self.isOverridden) == Self.isUnexamined && hasSpelling(keyPath)
    }

    private var isHidden: Bool {
        interventions.load(ordering: .relaxed) & (Self.isUnexamined | Self.isOverridden | Self.dependsOnOthers) != 0
    }

    /// Notes that the object's class declares dependencies of the property.
    ///
    /// Must be called before the property is observed.
    final func noteDependencies() { interventions.bitwiseOr(Self.dependsOnOthers, ordering: .relaxed) }

    final var isDependent: Bool { interventions.load(ordering: .relaxed) & Self.dependsOnOthers != 0 }

    final var isAnnouncedByHandOnly: Bool { interventions.load(ordering: .relaxed) & Self.byHandOnly != 0 }

    // MARK: Key paths

    /// Returns an event with the present value of the key; nil if the list does not know its key path.
    ///
    /// `number` is the number of the last change before this call, which the value includes. The caller keeps the observed object alive.
    final func read(_ number: UInt64) -> EventBox? {
        guard let keyPath else { return nil }
        // SAFETY: the caller keeps the observed object alive, which keeps its stand-in if it has one.
        let subject = withRecord { unsafe $0.subjectReference.object }
        func read<Value>(_ type: Value.Type) -> EventBox? {
            guard let value = KeyValueEvent<Value>.value(of: subject, at: keyPath) else { return nil }
            var event = KeyValueEvent(subject: subject, phase: .after, new: value, old: nil)
            event.header.number = number
            return TypedEventBox(event)
        }
        return _openExistential(type(of: keyPath).valueType, do: read)
    }

    /// Returns `true` if the list was first requested with this very key path object.
    final func isFirstSpelled(_ keyPath: AnyKeyPath) -> Bool {
        spelling.reference == Unretained(keyPath) && !isHidden
    }

    /// Returns `true` if observers of the given key path, or of an equivalent one, belong to this list.
    ///
    /// The result is `false` for a property that is or may be overridden, or for which the class declares dependencies.
    final func isSpelled(_ keyPath: AnyKeyPath) -> Bool { hasSpelling(keyPath) && !isHidden }

    private func hasSpelling(_ keyPath: AnyKeyPath) -> Bool {
        // A list of a property serves equivalent key paths, such as `\Base.x` and `\Sub.x`. Every other list serves only key paths that are
        // equal.
        spelling.with { property != 0 || isOverriding ? $0.isSpelling(of: keyPath) : $0 == keyPath } ?? false
    }

    /// Returns `true` if a manual notification of this key path must notify the observers in this list.
    final func isAnnounced(by keyPath: AnyKeyPath) -> Bool {
        // The list of the overriding property, which has the observers, is notified instead.
        if interventions.load(ordering: .relaxed) & Self.isOverridden != 0 { return false }
        return spelling.with { $0.isSpelling(of: keyPath) } ?? false
    }
}
