internal import CSafeKVO
internal import Synchronization

/// The place in memory of a word that an object is expected to store itself.
struct StoredPlace {
    private let address: UInt

    init(of word: borrowing Atomic<UInt>) {
        // SAFETY: the address is compared and never followed. An atomic value cannot be copied, so this is where it is stored.
        address = unsafe withUnsafePointer(to: word) { UInt(bitPattern: $0) }
    }

    /// `true` if the word is one of the object's own stored properties, or part of one.
    func isInside(_ object: AnyObject) -> Bool {
        let start = Unretained(object).word
        // SAFETY: a class is the address of its metadata; the runtime reads the size there.
        let size = unsafe safekvo_instance_size(unsafeBitCast(type(of: object) as AnyClass, to: UnsafeRawPointer.self))
        return address > start && address - start < UInt(size)
    }
}
