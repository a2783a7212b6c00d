#if SAFEKVO_PLAIN_LIST

    /// An array of registrations under a lock, which each delivery copies.
    ///
    /// If `SAFEKVO_PLAIN_LIST` is set in the environment of a build, this simpler type replaces ``LinkedChain``.
    final class PlainChain: @unchecked Sendable {
        private var infos: [Unretained<ObservationInfo>] = []

        // SAFETY: (of this class) the lock of the `ObservationRecord` guards `infos`, the registrations. This class
        // owns one reference to each of them. A delivery retains them under the lock.

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

    /// A replacement for ``EpochPins`` that does nothing, because each delivery retains its registrations.
    struct PlainPins: ~Copyable {
        struct Pin {}

        func pin() -> Pin { Pin() }

        var areNone: Bool { true }

        func unpin(_ pin: Pin) -> Bool { false }
    }

#endif

#if SAFEKVO_PLAIN_LIST

    /// A replacement for ``EpochLimbo`` that stores nothing, because each delivery retains its registrations.
    struct PlainLimbo {
        func retire(_ info: Unretained<AnyObject>, _ pins: borrowing PlainPins) -> Reclaimed { .one(info) }

        func collect(_ pins: borrowing PlainPins) -> Reclaimed { .several([]) }
    }

#endif
