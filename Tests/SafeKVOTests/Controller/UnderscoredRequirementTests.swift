import Observation
import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Public requirements that only the library should call: a program that calls them wrongly is stopped with a message, or changes nothing.
@Suite struct UnderscoredRequirementTests {
    class Base: KeyValueObject { @Observed var n = 1 }
    final class Sub: Base {
        var extra = "a string that only the subclass stores, on the heap"
        var computed: Int { n + extra.count }
    }
    final class Other: KeyValueObject { @Observed var n = 1 }

    /// Forwards a registration to another object, with key paths of its own choice.
    final class Front: KeyPathObservable {
        enum Choice { case subclass, unrelated, computed }
        let base: Base
        let choice: Choice
        var n = 0

        init(_ base: Base, _ choice: Choice) {
            self.base = base
            self.choice = choice
        }

        func _observe<Observer: AnyObject, Object: AnyObject, Value>(
            _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
            value handler: @escaping (Observer, Value) -> Void
        ) -> ObservationResult { .refused(.noObject) }

        func _observe<Observer: AnyObject, Object: AnyObject, Value>(
            _ keyPath: KeyPath<Object, Value>, _ request: borrowing _ObservationRequest<Observer>,
            change handler: @escaping (Observer, Object, KeyValueChange<Value>) -> Void
        ) -> ObservationResult {
            switch choice {
            case .subclass:
                base._observe(\Sub.n, request, change: { (_: Observer, sub: Sub, _: KeyValueChange<Int>) in print(sub.extra) })
            case .unrelated:
                base._observe(\Other.n, request, change: { (_: Observer, other: Other, _: KeyValueChange<Int>) in print(other.n) })
            case .computed:
                base._observe(\Sub.computed, request, change: { (_: Observer, sub: Sub, _: KeyValueChange<Int>) in print(sub.extra) })
            }
        }

        func _unobserve(_ keyPath: AnyKeyPath, _ removal: _ObservationRemoval) -> Int { 0 }
    }

    final class Observer {
        private(set) lazy var observations = ObservationController(observer: self)
        private(set) lazy var others = ObservationController(observer: self)
    }

    private static func message(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    private static func forward(_ choice: Front.Choice) {
        let (front, observer) = (Front(Base(), choice), Observer())
        // Makes the list.
        observer.others.observe(front.base, \.n) { _, _ in }
        observer.observations.observe(front, \.n, options: .new) { _, _, _ in }
        front.base.n = 5
    }

    @Test("Rule 36b: a registration that is forwarded with a key path of another class ends the program with a message")
    func forwardedRegistration() async {
        let results = await [
            #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { UnderscoredRequirementTests.forward(.subclass) },
            #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { UnderscoredRequirementTests.forward(.unrelated) },
            #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { UnderscoredRequirementTests.forward(.computed) },
        ]
        for (result, type) in zip(results, ["Sub", "Other", "Sub"]) {
            #expect(Self.message(result).contains("`_observe` of an object of class `Base` was called with a key path of `\(type)`"))
        }
    }

    @Test("A registration that is forwarded with a key path of the object's own class, or of a base class, works")
    func forwardedRegistrationOfTheSameClass() {
        let (front, observer) = (Front(Sub(), .subclass), Observer())
        observer.others.observe(front.base, \.n) { _, _ in }
        #expect(observer.observations.observe(front, \.n, options: .new) { _, _, _ in } == .added)
        front.base.n = 5
        #expect(observer.observations.unobserveAll() == 1)
    }

    final class Tracked: KeyValueObservable, Observable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var n = 1
    }

    @Test("Rule 36b: an access that is reported with a key path of another class changes nothing")
    func foreignTracking() {
        let (tracked, flag) = (Tracked(), Flag())
        withObservationTracking {
            tracked._track(.read) { \Other.n }
        } onChange: {
            flag.set()
        }
        tracked._track(.willSet) { \Other.n }
        tracked._track(.didSet) { \Other.n }
        #expect(!flag.isSet)
        withObservationTracking {
            _ = tracked.n
        } onChange: {
            flag.set()
        }
        tracked._track(.willSet) { \Other.n }
        #expect(!flag.isSet)
        tracked.n = 2
        #expect(flag.isSet)
    }
}
