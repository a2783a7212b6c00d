/// The event of a manual notification, for observed key paths that lead through the notified object.
///
/// For example, `\.a.b` leads through the object that `a` returns.
struct KeyAnnouncement {
    var header: KeyValueEventHeader
    // SAFETY: (of the reference) the sender of this event keeps the `OpenAnnouncement` alive until the event has been handled.
    let announcement: Unretained<OpenAnnouncement>
    let key: AnnouncedKey

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
            // SAFETY: `deliver` uses the pointer only during its call.
            let event = unsafe EventPointer(UnsafeRawPointer(pointer))
            delivery.deliver(event, box: { TypedEventBox<Self>(copying: $0) }, where: { $0.isDependency })
        }
        delivery.finish()
    }

    private static func paths(of record: ObservationRecord) -> [TrackedPath] {
        var paths: [TrackedPath] = []
        record.forEachList { list in
            if let path = unsafe list.with({ $0.hook as? TrackedPath }), !path.isEntire { paths.append(path) }
        }
        return paths
    }
}

/// The key and the object of a manual notification.
///
/// Only the sending thread uses an instance, so the lazy `text` needs no lock.
final class AnnouncedKey {
    let keyPath: AnyKeyPath
    // SAFETY: (of the owner) the sender of the notification keeps the owner alive until the notification is delivered.
    let owner: Unretained<AnyObject>
    private(set) lazy var text = KeyPathText(keyPath)

    init(_ keyPath: AnyKeyPath, of owner: Unretained<AnyObject>) {
        self.keyPath = keyPath
        self.owner = owner
    }
}
