/// Something that is under way and calls observers.
final class Frame {
    enum Sort {
        /// A change of an object's property.
        case change(thing: Int, Property)
        case registration(watch: Int)
        case endOfBatch
        /// A handler is running.
        case call(watch: Int)
    }

    let sort: Sort
    /// How many registrations there had been.
    let serial: Int
    var dues: [Due] = []
    /// Whether the first call after the change has come.
    var isMade = false
    let old: Int
    let new: Int
    let isInBatch: Bool
    /// The objects that a batch keeps.
    var kept: [Int] = []

    init(_ sort: Sort, serial: Int, old: Int = 0, new: Int = 0, isInBatch: Bool = false) {
        self.sort = sort
        self.serial = serial
        self.old = old
        self.new = new
        self.isInBatch = isInBatch
    }
}
