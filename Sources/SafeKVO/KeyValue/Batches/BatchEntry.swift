/// The changes of one key in a batch.
class BatchEntry {
    let list: ObserverList
    /// Kept until its observers have been told.
    let subject: AnyObject
    // The list is kept by its record.
    private let record: ObservationRecord
    /// The serial number up to which observers have been called before the first change that they hear of.
    private(set) var announcedLimit: UInt32?

    /// Who registered on another thread between the announcement of a change and the change.
    var late: [ObservationInfo] = []

    init(list: ObserverList, subject: AnyObject) {
        self.list = list
        self.subject = subject
        record = list.record
    }

    /// Says that observers have been called before a change, those of them that asked for it; in this batch or before it.
    func noteAnnouncement(_ limit: UInt32) {
        if let announcedLimit, Int32(bitPattern: limit &- announcedLimit) <= 0 { return }
        announcedLimit = limit
    }

    /// Whether a change with these observers is the first for some of them, so that the old value counts.
    func needsOldValue(_ limit: UInt32) -> Bool {
        preconditionFailure("An entry of a batch must say what it holds.")
    }

    /// Finds out the values that are not known yet.
    func prepare() {
        preconditionFailure("An entry of a batch must say how it prepares.")
    }

    /// Lets go of the value that is about to change in place.
    func forgetNewValue() {
        preconditionFailure("An entry of a batch must say what it holds.")
    }

    /// Calls an observer, if a change was made since it registered.
    func tell(_ info: ObservationInfo) {
        preconditionFailure("An entry of a batch must say what it tells.")
    }
}
