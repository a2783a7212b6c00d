/// An announcement by hand of a key of an object, as paths hear of it that lead through the object and need not have read the key.
struct KeyAnnouncement {
    var header: KeyValueEventHeader
    // SAFETY: (of the reference) whoever announces keeps it during the call.
    let announcement: Unretained<OpenAnnouncement>
    let key: AnnouncedKey

    /// Tells the paths that lead through an object of an announcement of one of its keys.
    ///
    /// - Parameters:
    ///   - phase: What is told: the beginning, the end, or that it was cancelled.
    ///   - announcement: The announcement.
    ///   - object: The object.
    ///   - record: Its record.
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
            // SAFETY: the pointer is used during the call only.
            let event = unsafe EventPointer(UnsafeRawPointer(pointer))
            delivery.deliver(event, box: { TypedEventBox<Self>(copying: $0) }, where: { $0.isDependency })
        }
        delivery.finish()
    }

    /// The paths of the object itself.
    private static func paths(of record: ObservationRecord) -> [TrackedPath] {
        var paths: [TrackedPath] = []
        record.forEachList { list in
            if let path = unsafe list.with({ $0.hook as? TrackedPath }), !path.isEntire { paths.append(path) }
        }
        return paths
    }
}

/// A key of an object that the program announces by hand, as paths look whether it is a hop of theirs.
///
/// It is used during one call, on one thread.
final class AnnouncedKey {
    let keyPath: AnyKeyPath
    // SAFETY: (of the owner) whoever announces keeps it during the call.
    let owner: Unretained<AnyObject>
    private(set) lazy var text = KeyPathText(keyPath)

    init(_ keyPath: AnyKeyPath, of owner: Unretained<AnyObject>) {
        self.keyPath = keyPath
        self.owner = owner
    }
}
