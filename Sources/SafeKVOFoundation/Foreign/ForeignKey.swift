internal import CSafeKVO
internal import SafeKVO

/// A key of an object that belongs to another key-value observing system.
final class ForeignKey: ObserverListHook, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the lock of `subject` protects the variables. All else is constant.

    let name: String
    /// The number that stands for the key where others have the offset of a property.
    let number: UInt
    let keyPath: ReferenceWritableKeyPath<ForeignSubject, ForeignValue>
    weak let subject: ForeignSubject?
    // SAFETY: the list owns this key, and the record of `subject` owns the list.
    let list: Unretained<ObserverList>

    /// The number of observers, and of key paths that depend on the key.
    var observers = 0
    var isRegistered = false
    /// The changes that the other system has announced and not yet completed.
    private var changes: [(thread: UInt, part: AnnouncementPart)] = []

    init(
        _ name: String, _ number: UInt, _ keyPath: ReferenceWritableKeyPath<ForeignSubject, ForeignValue>, of subject: ForeignSubject,
        _ list: Unretained<ObserverList>
    ) {
        (self.name, self.number, self.keyPath, self.subject, self.list) = (name, number, keyPath, subject, list)
    }

    var listName: String? { name }

    var infos: [ObservationInfo] { unsafe list.with { $0.infos() } }

    func numberChange() -> UInt64 { unsafe list.with { $0.numberChange() } }

    func didLink(_ info: ObservationInfo, to list: ObserverList) {
        // A path needs the old value: the object to which the key leads must live until the path has left it.
        if info.isDependency { list.count(.oldValue, by: 1) }
        subject?.count(self, 1)
    }

    func didUnlink(_ info: ObservationInfo, from list: ObserverList) {
        if info.isDependency { list.count(.oldValue, by: -1) }
        subject?.count(self, -1)
    }

    /// Notes the beginning of a change on this thread; returns its oldest one if there are too many without an end.
    ///
    /// Without a registration, no end will be reported.
    func open(_ part: AnnouncementPart) -> AnnouncementPart? {
        if !isRegistered { return part }
        let thread = safekvo_thread()
        changes.append((thread, part))
        let mine = changes.indices.filter { changes[$0].thread == thread }
        return mine.count > 64 ? changes.remove(at: mine[0]).part : nil
    }

    /// Forgets all changes; the caller releases them without the lock.
    func takeChanges() -> [AnnouncementPart] {
        defer { changes = [] }
        return changes.map(\.part)
    }

    func takeOpen() -> AnnouncementPart? {
        let thread = safekvo_thread()
        return changes.lastIndex { $0.thread == thread }.map { changes.remove(at: $0).part }
    }
}
