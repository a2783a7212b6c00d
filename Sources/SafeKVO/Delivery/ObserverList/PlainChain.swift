#if SAFEKVO_PLAIN_LIST

    /// The observer list as anybody would write it: an array under a lock, copied for each delivery.
    ///
    /// It is the oracle for ``LinkedChain``: built with `SAFEKVO_PLAIN_LIST` in the environment, the package runs the same tests over it.
    final class PlainChain: @unchecked Sendable {
        private var infos: [Unretained<ObservationInfo>] = []

        // SAFETY: `infos` belongs to the record's lock. Of the references: the chain owns one reference to each info in the array; a delivery takes one of its own
        // under the lock and drops it after the call.

        var isEmpty: Bool { infos.isEmpty }

        func append(_ info: ObservationInfo) {
            unsafe Unretained(info).retain()
            infos.append(Unretained(info))
        }

        func insert(_ info: ObservationInfo, after place: Unretained<ObservationInfo>?) {
            let index = place.flatMap { infos.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
            unsafe Unretained(info).retain()
            infos.insert(Unretained(info), at: index)
        }

        func remove(_ info: ObservationInfo) -> Unretained<ObservationInfo> {
            let target = Unretained(info)
            infos.removeAll { $0 == target }
            return target
        }

        struct Cursor {
            private var infos: [ObservationInfo]

            var info: Unretained<ObservationInfo>? { infos.last.map { Unretained($0) } }

            mutating func advance() { infos.removeLast() }

            fileprivate init(_ infos: [ObservationInfo]) { self.infos = infos.reversed() }
        }

        func cursor(lock: borrowing Lock) -> Cursor {
            var copy: [ObservationInfo] = []
            lock.withLock { copy = infos.map { unsafe $0.object } }
            return Cursor(copy)
        }

        func forEach(lock: borrowing Lock, _ body: (ObservationInfo) -> Void) {
            var copy: [ObservationInfo] = []
            lock.withLock { copy = infos.map { unsafe $0.object } }
            for info in copy { body(info) }
        }
    }

#endif

#if SAFEKVO_PLAIN_LIST

    /// Nothing is read without a reference in the plain list, so there is nothing to pin.
    struct PlainPins: ~Copyable {
        struct Pin {}

        func pin() -> Pin { Pin() }

        /// Whether nobody can see what has been taken out of sight.
        var areNone: Bool { true }

        func unpin(_ pin: Pin) -> Bool { false }
    }

#endif

#if SAFEKVO_PLAIN_LIST

    /// Nothing is read without a reference in the plain list, so what is unlinked may go at once.
    struct PlainLimbo {
        func retire(_ info: Unretained<AnyObject>, _ pins: borrowing PlainPins) -> Reclaimed { .one(info) }

        func collect(_ pins: borrowing PlainPins) -> Reclaimed { .several([]) }
    }

#endif
