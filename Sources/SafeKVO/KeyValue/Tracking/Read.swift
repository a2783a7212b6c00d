/// A property of an object that an evaluation read.
struct Read {
    /// What identifies the object: its record, which outlives it as long as anybody refers to this.
    let record: UInt
    /// What identifies the property among those of the object, or what is announced by hand.
    let property: UInt
    /// What identifies the property among those of its class.
    let shape: UInt

    init(record: UInt, property: UInt, shape: UInt? = nil) {
        self.record = record
        self.property = property
        self.shape = shape ?? property
    }
}

extension Read: Hashable {
    static func == (left: Read, right: Read) -> Bool { left.record == right.record && left.property == right.property }

    func hash(into hasher: inout Hasher) {
        hasher.combine(record)
        hasher.combine(property)
    }
}
