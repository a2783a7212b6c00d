internal import Synchronization

/// Unlinked infos, and whatever else a delivery might still see.
///
/// Guarded by the record's lock.
struct EpochLimbo {
    /// By the epoch in which they were unlinked.
    private var infos: ([Unretained<AnyObject>], [Unretained<AnyObject>]) = ([], [])

    /// Takes charge of the list's reference to an info that has just been unlinked.
    ///
    /// - Returns: what may be released now, after the lock.
    mutating func retire(_ info: Unretained<AnyObject>, _ pins: borrowing EpochPins) -> Reclaimed {
        let current = pins.present
        if EpochPins.isIdle(current) { return .one(info) }
        if current & EpochPins.epoch == 0 { infos.0.append(info) } else { infos.1.append(info) }
        // The delivery may have ended meanwhile without seeing anything wait.
        pins.word.bitwiseOr(EpochPins.waits, ordering: .acquiringAndReleasing)
        return collect(pins)
    }

    /// Takes out what no delivery can see any more.
    mutating func collect(_ pins: borrowing EpochPins) -> Reclaimed {
        var free: [Unretained<AnyObject>] = []
        for _ in 0..<2 {
            let current = pins.word.load(ordering: .acquiring)
            if current & EpochPins.epoch == 0 {
                guard EpochPins.isDrained(current, EpochPins.units.1) else { break }
                free += infos.1
                infos.1 = []
                if infos.0.isEmpty { break }
            } else {
                guard EpochPins.isDrained(current, EpochPins.units.0) else { break }
                free += infos.0
                infos.0 = []
                if infos.1.isEmpty { break }
            }
            pins.word.bitwiseXor(EpochPins.epoch, ordering: .acquiringAndReleasing)
        }
        if infos.0.isEmpty, infos.1.isEmpty { pins.word.bitwiseAnd(~EpochPins.waits, ordering: .acquiringAndReleasing) }
        return .several(free)
    }
}
