internal import CSafeKVO
internal import Synchronization

/// The changes that a thread makes inside `withBatchedChanges`: observers are told of them at the end, each of one change a key.
///
/// It belongs to one thread and lives on its stack. It keeps the changed objects until it has told of them.
final class ChangeBatch {
    private var entries: [BatchEntry] = []
    private var places: [UInt: Int] = [:]
    /// How many changes have been announced to come.
    private var announcements = 0
    /// Which of them are under way, and of which lists.
    private var open: [(list: UInt, announcement: Int)] = []
    /// Which of them the change is that is taken note of right now; zero if it was announced before the batch.
    private(set) var announcement = 0

    /// The batch that is open on this thread.
    static var current: ChangeBatch? {
        // SAFETY: the slot holds a batch that `run` keeps on this thread's stack, or null.
        unsafe safekvo_batch().map { unsafe Unmanaged<ChangeBatch>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs something as a batch, or as a part of the one that is open.
    static func run<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        if current != nil { return try body() }
        let batch = ChangeBatch()
        unsafe safekvo_set_batch(Unmanaged.passUnretained(batch).toOpaque())
        defer {
            safekvo_set_batch(nil)
            batch.tell()
        }
        return try body()
    }

    // MARK: Taking note

    /// What is known of the changes of a list; nothing before the first.
    func entry(of list: Unretained<ObserverList>) -> BatchEntry? {
        places[list.word].map { entries[$0] }
    }

    /// The entry of a list, begun if there is none.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - subject: Whose list it is.
    ///   - type: The type of the values.
    /// - Returns: the entry; nil if the values are of another type, which cannot be.
    func entry<Value>(of list: Unretained<ObserverList>, of subject: AnyObject, _ type: Value.Type) -> TypedBatchEntry<Value>? {
        if let known = entry(of: list) { return known as? TypedBatchEntry<Value> }
        let made = unsafe TypedBatchEntry<Value>(list: list.object, subject: subject)
        places[list.word] = entries.count
        entries.append(made)
        return made
    }

    /// Takes note that a change of a list is announced to come.
    func begin(_ list: Unretained<ObserverList>) {
        announcements += 1
        open.append((list.word, announcements))
    }

    /// Takes note that a change of a list was made.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - wasAnnounced: Whether it was announced to come, in a delivery of its own.
    func end(_ list: Unretained<ObserverList>, wasAnnounced: Bool) {
        if let index = open.lastIndex(where: { $0.list == list.word }) {
            announcement = open.remove(at: index).announcement
        } else {
            announcement = wasAnnounced ? 0 : announcements + 1
        }
    }

    /// Lets go of a list's present value, which is about to be changed in place.
    static func willChange(_ list: Unretained<ObserverList>) {
        current?.entry(of: list)?.forgetNewValue()
    }

    // MARK: The end

    /// Tells the observers: those of one object in the order in which they registered.
    private func tell() {
        for entry in entries { entry.prepare() }
        var order: [ObjectIdentifier: Int] = [:]
        var keys: [[BatchEntry]] = []
        for entry in entries {
            let place = order[ObjectIdentifier(entry.subject), default: keys.count]
            if place == keys.count {
                order[ObjectIdentifier(entry.subject)] = place
                keys.append([])
            }
            keys[place].append(entry)
        }
        for keys in keys { tell(keys) }
    }

    /// Merges the observers of some keys of one object in their order: an observation that replaced another has its place.
    private func tell(_ keys: [BatchEntry]) {
        var queues = keys.map { (entry: $0, infos: $0.list.infos()[...]) }
        while true {
            var first: (queue: Int, info: ObservationInfo)?
            for (index, queue) in queues.enumerated() {
                guard let info = queue.infos.first else { continue }
                if let first, !info.isBefore(first.info) { continue }
                first = (index, info)
            }
            guard let first else { return }
            queues[first.queue].infos.removeFirst()
            if first.info.isDependency { continue }
            let entry = queues[first.queue].entry
            // SAFETY: the frame is used during the call only; the array keeps the info.
            unsafe DeliveryFrame.run(entry.list) { frame in
                unsafe frame.pointee.info = Unretained(first.info)
                entry.tell(first.info)
            }
        }
    }
}

/// Makes several changes of which each observer is told as of one.
///
/// ```swift
/// withBatchedChanges {
///     clock.date = date
///     clock.zone = zone
/// }
/// ```
///
/// It holds for every change that this thread makes inside, of whatever object. At the end, also if the closure throws, each observation of a
/// key that changed gets one call, with the value before the first change and the one after the last; observers of one object are called in
/// the order in which they registered, whatever the key. Observers that asked for prior calls get one, before the first change. Changes of
/// some elements of a collection become a setting if there was more than one. Batches nest: the outermost tells. Changed objects are kept alive
/// until then. Changes by other threads, and in handlers called at the end, are told at once.
///
/// - Parameter body: Makes the changes.
/// - Returns: what the closure returns.
/// - Throws: what the closure throws.
@discardableResult
public func withBatchedChanges<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try ChangeBatch.run(body)
}

extension KeyValueObservable {
    /// Makes several changes of which each observer is told as of one, as the function of the same name does.
    ///
    /// - Parameter body: Makes the changes, of this object and of others.
    /// - Returns: what the closure returns.
    /// - Throws: what the closure throws.
    @discardableResult
    public func withBatchedChanges<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try ChangeBatch.run(body)
    }
}

extension KeyValueEvent {
    /// What becomes of an event in a batch: the library's own infos, which follow dependencies, are called at once, observers once before the
    /// first change and then at the end.
    @usableFromInline
    @inline(never)
    static func postpone(_ event: UnsafeMutablePointer<Self>, through delivery: inout Delivery, onlyPrior: Bool) {
        guard let batch = ChangeBatch.current else { return }
        // SAFETY: the caller lends the event for this call.
        unsafe event.pointee.withPointer { pointer, box in
            // SAFETY: the pointer is to this event.
            let event = unsafe pointer.assumingType(Self.self)
            delivery.postpone { list, limit, wasAnnounced in
                let subject = unsafe event.pointee.header.subject
                if unsafe subject.isBeingDestroyed { return }
                guard let entry = unsafe batch.entry(of: list, of: subject.object, Value.self) else { return }
                if onlyPrior {
                    batch.begin(list)
                    let announced = entry.announcedLimit
                    entry.noteAnnouncement(limit)
                    unsafe list.object.deliver(pointer, upTo: limit, box: box) { info in
                        info.isDependency || info.flags.contains(.priorCall) && announced.map { info.isLinked(after: $0) } ?? true
                    }
                } else {
                    batch.end(list, wasAnnounced: wasAnnounced)
                    unsafe entry.add(event.pointee, limit)
                    unsafe entry.late += list.object.lateInfos(after: limit)
                    // Paths that began to depend on this since it was announced must hear of it too.
                    let present = unsafe list.with { $0.withRecord { $0.currentSerial } }
                    unsafe list.object.deliver(pointer, upTo: present, box: box) { $0.isDependency }
                }
            }
        }
    }

    /// Lets the event be used by its address.
    package mutating func withPointer(_ body: (EventPointer, (EventPointer) -> EventBox) -> Void) {
        unsafe withUnsafePointer(to: &self) { pointer in
            // SAFETY: the pointer is used during the call only.
            body(unsafe EventPointer(UnsafeRawPointer(pointer))) { TypedEventBox<Self>(copying: $0) }
        }
    }
}
