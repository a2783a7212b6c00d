/// The place of an observed key path in the list of a *dependency*, a property or key that its getters report.
///
/// When the dependency changes, the key path is evaluated again.
final class Link: ObservationInfo, @unchecked Sendable {
    // SAFETY: (of @unchecked Sendable) the superclass guards its own state. The lock of the path guards `interest`. Only the evaluation that
    // has the path's turn uses `lastRead`.

    /// What the key path reads.
    let read: Read
    // SAFETY: (of the reference) this object retains the `TrackedPath`.
    private let path: Unretained<TrackedPath>
    /// What the dependency's list counts for this link.
    var interest: InfoFlags = []
    /// The number of the newest evaluation that read the dependency.
    var lastRead: UInt64 = 0

    init(_ source: ObserverList, _ read: Read, _ flags: InfoFlags, of path: TrackedPath) {
        self.read = read
        self.path = Unretained(path)
        unsafe self.path.retain()
        let parts = InfoParts(
            list: source, owner: nil, flags: InfoFlags(.dependency).union(flags), extras: nil, position: .unknown, keyPath: nil)
        super.init(parts) { info, _, event in
            // SAFETY: `info` is always the object that this initializer creates.
            let link = unsafe unsafeDowncast(info, to: Link.self)
            return unsafe link.path.with { $0.dependencyChanged(link, event) }
        }
    }

    deinit { unsafe path.release() }

    /// The key path that depends on the property; nil if it no longer does.
    var follower: TrackedPath? { unsafe isOver ? nil : path.object }

    /// Takes the link out of the list, if it is still there; the caller holds no lock.
    func end() { if end(for: .removed) { withList { $0.count(interest, by: -1, isOfDependent: true) } } }
}

extension ObserverList {
    /// The path of a computed or nested key path; nil for any other key.
    var path: TrackedPath? { hook.flatMap { $0 as? TrackedPath } }

    /// The key paths that depend on the property of this list.
    var followers: [TrackedPath] { infos().compactMap { ($0 as? Link)?.follower } }
}

/// Something that an evaluation of a key path has read: a property or a manually notified key.
struct Read: Hashable {
    /// For a property that was read, the address of the `ObservationRecord` of the property's owner.
    ///
    /// For a manually notified key, the address of the key's observer list.
    let record: UInt
    /// The number that identifies a property in its class, or a special value if something else was read.
    let property: UInt

    static let nothing = Read(record: 0, property: 0)
}

extension Read {
    /// A read of the property that a list belongs to.
    init(of list: ObserverList) {
        self =
            list.property == 0
            ? Read(record: Unretained(list).word, property: .max) : Read(record: list.recordWord, property: list.property)
    }
}
