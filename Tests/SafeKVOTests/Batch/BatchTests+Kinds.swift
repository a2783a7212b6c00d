import SafeKVO
import SafeKVOTesting
import Testing

/// Changes of elements in a batch.
extension BatchTests {
    @Test("Rule 47: one change of a collection keeps its kind, more than one become a setting")
    func kindsOfCollections() throws {
        listen(to: model, \.items, as: "items")
        withBatchedChanges { model.insert(0) }
        try log.expect(["items after insertion new [0] at 0..<1"])
        withBatchedChanges {
            model.insert(-1)
            model.insert(-2)
        }
        try log.expect(["items after old [0, 1, 2, 3] new [-2, -1, 0, 1, 2, 3]"])
        withBatchedChanges {
            model.items = [5]
            model.insert(4)
        }
        try log.expect(["items after old [-2, -1, 0, 1, 2, 3] new [4, 5]"])
        withBatchedChanges {
            model.insert(3)
            model.items.append(6)
        }
        try log.expect(["items after old [4, 5] new [3, 4, 5, 6]"])
    }

    @Test("Rule 47: who came between two changes of a collection hears the second as it was")
    func kindsForALateObserver() throws {
        listen(to: model, \.items, as: "first")
        withBatchedChanges {
            model.insert(0)
            listen(to: model, \.items, as: "late", tag: "late")
            model.insert(-1)
        }
        try log.expect(["first after old [1, 2, 3] new [-1, 0, 1, 2, 3]", "late after insertion new [-1] at 0..<1"])
    }

    @Test("Rules 18, 47: kinds at the end of a path are kept for one change and become a setting for two")
    func kindsAtTheEndOfAPath() throws {
        final class Root: KeyValueObject {
            @Observed var model = Model()
        }
        let root = Root()
        listen(to: root, \.model.items, as: "items")
        withBatchedChanges { root.model.insert(0) }
        try log.expect(["items after insertion new [0] at 0..<1"])
        withBatchedChanges {
            root.model.insert(-1)
            root.model.insert(-2)
        }
        try log.expect(["items after old [0, 1, 2, 3] new [-2, -1, 0, 1, 2, 3]"])
        withBatchedChanges {
            root.model.insert(7)
            root.model = Model()
        }
        try log.expect(["items after old [-2, -1, 0, 1, 2, 3] new [1, 2, 3]"])
    }
}
