/// Whoever reads a value under Swift's tracking.
protocol TrackingOwner: AnyObject, Sendable {
    /// Something that a reading read is about to change.
    ///
    /// Called on the thread that changes it, before it does.
    func changeWillCome(_ reading: UInt64)

    /// All that a reading read is gone.
    ///
    /// Called under somebody else's lock: nothing of the program's may be called, nor released.
    func trackedObjectsDidDie(_ reading: UInt64)
}
