import SafeKVO
import Testing

/// What Cocoa looks for, so that a key it would raise for is known before.
@Suite struct KeyValueCodingNamesTests {
    @Test("A key is looked for under all names that Cocoa documents")
    func aKeyIsLookedForUnderAllNames() {
        let names = KeyValueCodingNames("name")
        #expect(names.accessors.filter { $0.count == 1 } == [["getName"], ["name"], ["isName"], ["_getName"], ["_name"]])
        #expect(names.accessors.contains(["countOfName", "objectInNameAtIndex:"]))
        #expect(names.accessors.contains(["countOfName", "nameAtIndexes:"]))
        #expect(names.accessors.contains(["countOfName", "enumeratorOfName", "memberOfName:"]))
        #expect(names.variables == ["_name", "_isName", "name", "isName"])
    }

    @Test("What is no key has no names", arguments: ["", "a.b", "@count"])
    func whatIsNoKeyHasNoNames(key: String) {
        #expect(KeyValueCodingNames(key).accessors.isEmpty)
        #expect(KeyValueCodingNames(key).variables.isEmpty)
    }
}
