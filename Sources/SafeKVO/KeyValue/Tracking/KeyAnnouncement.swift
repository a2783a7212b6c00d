/// A manual notification of a key of an object, as an event for tracked paths that lead through the object.
///
/// Such a path may lead through the key without having read it.
struct KeyAnnouncement {
    var header: KeyValueEventHeader
    // SAFETY: (of the reference) the sender keeps the notification alive during the call.
    let announcement: Unretained<OpenAnnouncement>
    let key: AnnouncedKey

    /// Informs the tracked paths that lead through an object of a manual notification of one of its keys.
    ///
    /// - Parameters:
    ///   - phase: The beginning, the end or the cancellation of the notification.
    ///   - announcement: The notification.
    ///   - object: The object.
    ///   - record: The record of the object, which holds its lists of observers.
    static func tell(
        _ phase: KeyValueEventHeader.Phase, _ announcement: OpenAnnouncement, of object: AnyObject, _ record: ObservationRecord
    ) {
        var header = KeyValueEventHeader(subject: object, kind: .setting, phase: phase, elements: nil)
        header.limit = announcement.limit
        header.origin = announcement.isScoped ? .scoped : .bare
        let paths = paths(of: record)
        let list = record.existingAnnouncementList.flatMap { unsafe $0.with { $0.hasDependents } ? $0 : nil }
        if paths.isEmpty, list == nil { return }
        let key = AnnouncedKey(announcement.keyPath, of: header.subject)
        var event = KeyAnnouncement(header: header, announcement: Unretained(announcement), key: key)
        for path in paths { path.hear(event) }
        guard let list, var delivery = Delivery(to: list) else { return }
        unsafe withUnsafePointer(to: &event) { pointer in
            // SAFETY: the pointer is used only during the call.
            let event = unsafe EventPointer(UnsafeRawPointer(pointer))
            delivery.deliver(event, box: { TypedEventBox<Self>(copying: $0) }, where: { $0.isDependency })
        }
        delivery.finish()
    }

    /// Returns the tracked paths that start at the object itself, except that of `\.self`.
    private static func paths(of record: ObservationRecord) -> [TrackedPath] {
        var paths: [TrackedPath] = []
        record.forEachList { list in
            if let path = unsafe list.with({ $0.hook as? TrackedPath }), !path.isEntire { paths.append(path) }
        }
        return paths
    }
}

/// A key of an object with a manual notification.
///
/// Tracked paths compare the key with the components of their key paths.
///
/// It is used during one call, on one thread.
final class AnnouncedKey {
    let keyPath: AnyKeyPath
    // SAFETY: (of the owner) the sender of the notification keeps the owner alive during the call.
    let owner: Unretained<AnyObject>
    private(set) lazy var text = KeyPathText(keyPath)

    init(_ keyPath: AnyKeyPath, of owner: Unretained<AnyObject>) {
        self.keyPath = keyPath
        self.owner = owner
    }
}
