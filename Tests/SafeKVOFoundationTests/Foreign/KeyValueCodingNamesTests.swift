import SafeKVO
import SafeKVOFoundation
import Testing

/// What Cocoa looks for, so that a key it would raise for is known before.
@Suite struct KeyValueCodingNamesTests {
    @Test("A key is looked for under all names that Cocoa documents")
    func aKeyIsLookedForUnderAllNames() {
        let names = KeyValueCodingNames("name")
        #expect(names.accessors == ["getName", "name", "isName", "_getName", "_name"])
        #expect(names.collections.contains(["countOfName", "objectInNameAtIndex:"]))
        #expect(names.collections.contains(["countOfName", "nameAtIndexes:"]))
        #expect(names.collections.contains(["countOfName", "enumeratorOfName", "memberOfName:"]))
        #expect(names.variables == ["_name", "_isName", "name", "isName"])
    }

    @Test("What is no key has no names", arguments: ["", "a.b", "@count"])
    func whatIsNoKeyHasNoNames(key: String) {
        #expect(KeyValueCodingNames(key).accessors.isEmpty)
        #expect(KeyValueCodingNames(key).collections.isEmpty)
        #expect(KeyValueCodingNames(key).variables.isEmpty)
    }

    @Test("Objects, numbers and structures can be read", arguments: ["@16@0:8", "q", "B16@0:8", "{CGRect={CGPoint=dd}}", "#", "@?"])
    func objectsNumbersAndStructuresCanBeRead(encoding: String) {
        #expect(KeyValueCodingNames.isReadable(typeEncoding: encoding.utf8CString.first))
    }

    @Test(
        "What returns nothing, pointers, and variables of Swift alone cannot be read",
        arguments: ["v16@0:8", "Vv16@0:8", "^v", "*", "", nil])
    func whatReturnsNothingCannotBeRead(encoding: String?) {
        #expect(!KeyValueCodingNames.isReadable(typeEncoding: encoding?.utf8CString.first))
    }
}
