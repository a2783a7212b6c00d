import SafeKVO
import SafeKVOTesting
import Testing

/// Changes of elements in a batch.
extension BatchTests {
    @Test("Rule 47: changes of a collection are one setting")
    func kindsOfCollections() throws {
        listen(to: model, \.items, as: "items")
        withBatchedChanges { model.insert(0) }
        try log.expect(["items after old [1, 2, 3] new [0, 1, 2, 3]"])
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

    @Test("Rule 47: who came between two changes of a collection hears a setting, too")
    func kindsForALateObserver() throws {
        listen(to: model, \.items, as: "first")
        withBatchedChanges {
            model.insert(0)
            listen(to: model, \.items, as: "late", tag: "late")
            model.insert(-1)
        }
        try log.expect(["first after old [1, 2, 3] new [-1, 0, 1, 2, 3]", "late after old [1, 2, 3] new [-1, 0, 1, 2, 3]"])
    }

    @Test("Rules 18, 47: changes of a collection at the end of a path are one setting")
    func kindsAtTheEndOfAPath() throws {
        final class Root: KeyValueObject {
            @Observed var model = Model()
        }
        let root = Root()
        listen(to: root, \.model.items, as: "items")
        withBatchedChanges { root.model.insert(0) }
        try log.expect(["items after old [1, 2, 3] new [0, 1, 2, 3]"])
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
