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
    mutating func withPointer(_ body: (EventPointer, (EventPointer) -> EventBox) -> Void) {
        unsafe withUnsafePointer(to: &self) { pointer in
            // SAFETY: the pointer is used during the call only.
            body(unsafe EventPointer(UnsafeRawPointer(pointer))) { TypedEventBox<Self>(copying: $0) }
        }
    }
}
