import Testing

@testable import SafeKVO
@testable import SafeKVOFoundation

/// Values without a type, given one.
@Suite struct ForeignValueTests {
    enum Genre: Int { case baroque, rock }

    struct Flags: OptionSet, Equatable { let rawValue: UInt }

    func typed<Value>(_ value: Any?, _ type: Value.Type) -> Value? { ForeignValue(value: value).typed(as: type) }

    @Test("A value of the type is itself")
    func aValueOfTheTypeIsItself() {
        #expect(typed(1, Int.self) == 1)
        #expect(typed("a", String.self) == "a")
        #expect(typed(["a"] as [Any], [String].self) == ["a"])
        #expect(typed(Set<AnyHashable>(["a"]), Set<String>.self) == ["a"])
    }

    @Test("Of an optional type, nil is present, and absent of any other")
    func nilIsPresentOfAnOptionalType() {
        #expect(typed(nil, Int?.self) == .some(nil))
        #expect(typed(1, Int?.self) == .some(1))
        #expect(typed(nil, Int.self) == nil)
        #expect(typed(nil, Genre.self) == nil)
    }

    @Test("An enumeration and an option set come of their raw values")
    func anEnumerationComesOfItsRawValue() {
        #expect(typed(1, Genre.self) == .rock)
        #expect(typed(UInt(3), Flags.self) == Flags(rawValue: 3))
        #expect(typed(9, Genre.self) == nil)
    }

    @Test("So does an optional one, at the end of an optional chain")
    func anOptionalEnumerationComesOfItsRawValue() {
        #expect(typed(1, Genre?.self) == .some(.rock))
        #expect(typed(1, Genre??.self) == .some(.some(.rock)))
        #expect(typed(nil, Genre?.self) == .some(nil))
        #expect(typed(9, Genre?.self) == nil)
        #expect(typed("a", Genre?.self) == nil)
    }

    @Test("Of any type, a value is itself and no optional, and nil is absent")
    func ofAnyTypeAValueIsItself() throws {
        let value = try #require(typed(1, Any.self))
        #expect(type(of: value) == Int.self)
        #expect(typed(nil, Any.self) == nil)
        #expect(typed(nil, Any?.self) != nil)
    }

    @Test("A value of another type is none")
    func aValueOfAnotherTypeIsNone() {
        #expect(typed("a", Int.self) == nil)
        #expect(typed("a", Int?.self) == nil)
        #expect(typed(["a"] as [Any], [Int].self) == nil)
    }
}
