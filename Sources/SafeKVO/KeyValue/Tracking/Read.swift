/// A property of an object that an evaluation read.
struct Read: Hashable {
    /// What identifies the object: its record, which outlives it as long as anybody refers to this.
    let record: UInt
    /// What identifies the property among those of the object's class, or what is announced by hand.
    let property: UInt
}
