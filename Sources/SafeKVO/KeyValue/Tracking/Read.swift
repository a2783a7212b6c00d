/// What an evaluation read: a property of an object, or an object itself.
struct Read: Hashable {
    /// What identifies the owner of the property: its record, which outlives it as long as anybody refers to this.
    ///
    /// Of an object that was read, this is its address, or zero if there was none.
    let record: UInt
    /// What identifies the property among those of the object's class, or what is announced by hand.
    let property: UInt

    /// What stands for a property where an object was read, and announcements of the object are followed.
    static let announcements = UInt.max - 1

    /// What stands between what the key path reads and what each declared one reads.
    static let nextDeclared = Read(record: 0, property: UInt.max - 2)
}
