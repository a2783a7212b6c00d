import SafeKVO
import Testing

/// The controller inside an in-place access of a property, when reading that property traps.
@Suite struct ControllerOpenPropertyTests {
    final class Shelf: KeyValueObject {
        @Observed var books = [3, 1, 2]
        @Observed var label = ""
    }

    final class Reader {}

    @Test("Removing what is not observed never traps, also while the property is being changed in place")
    func removingNeverTraps() async {
        await #expect(processExitsWith: .success) {
            let (shelf, reader) = (Shelf(), Reader())
            let observations = ObservationController(observer: reader)
            observations.observe(shelf, \.label) { _, _ in }
            shelf.books.removeAll { _ in observations.unobserve(shelf, \.books) > 0 }
        }
    }

    @Test("Removing what is observed works while the property is being changed in place")
    func removingWhatIsObservedWorks() {
        let (shelf, reader) = (Shelf(), Reader())
        let observations = ObservationController(observer: reader)
        var heard: [[Int]] = []
        observations.observe(shelf, \.books) { _, books in heard.append(books) }
        var removed: [Int] = []
        shelf.books.removeAll { book in
            removed.append(observations.unobserve(shelf, \.books))
            return book == 1
        }
        #expect(removed == [1, 0, 0])
        #expect(heard == [[3, 1, 2]])
        #expect(shelf.books == [3, 2])
    }
}
