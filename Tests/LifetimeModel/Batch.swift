/// The changes that one thread has made in a batch.
final class Batch {
    let serial: Int
    /// What is to be told at the end.
    var dues: [Due] = []
    /// Who was called before the first change.
    var announced: Set<Int> = []
    var kept: [Int] = []
    var depth = 1

    init(serial: Int) { self.serial = serial }
}
