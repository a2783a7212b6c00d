/// The changes that one thread has made in a batch.
final class Batch {
    let serial: Int
    /// What is to be told at the end.
    var dues: [Due] = []
    /// The value of each key before its first change; nothing if nobody asked for it then.
    var olds: [String: Int?] = [:]
    /// Who was called before the first change.
    var announced: Set<Int> = []
    var kept: [Int] = []
    /// The objects that were linked to others, whose paths are looked at again at the end.
    var linked: Set<Int> = []
    var depth = 1

    init(serial: Int) { self.serial = serial }
}
