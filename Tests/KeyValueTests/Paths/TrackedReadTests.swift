import Foundation
import SafeKVO
import SafeKVOTesting
import Testing

/// An access to a property that lasts, as the compiler has the runtime note it.
///
/// Swift itself copies what it reads, so that no read lasts.
private enum LastingRead {
    private typealias Begin = @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer, UInt, UnsafeRawPointer?) -> Void
    private typealias End = @convention(c) (UnsafeMutableRawPointer) -> Void

    /// Does something while a property is being read; nil if the runtime has no such functions.
    static func of<Value>(_ property: UnsafeMutablePointer<Value>, while body: () -> Void) -> Void? {
        let program = unsafe dlopen(nil, RTLD_NOW)
        guard let begin = unsafe dlsym(program, "swift_beginAccess"), let end = unsafe dlsym(program, "swift_endAccess") else { return nil }
        // SAFETY: the functions are of these types; the memory for the access outlives it; the caller keeps the property.
        unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { access in
            guard let access = access.baseAddress else { return }
            let trackedRead: UInt = 0x20
            unsafe unsafeBitCast(begin, to: Begin.self)(property, access, trackedRead, nil)
            body()
            unsafe unsafeBitCast(end, to: End.self)(access)
        }
        return ()
    }
}

/// Following what a getter reads accesses none of it: not more than the getter itself.
@Suite struct TrackedReadTests {
    final class Model: KeyValueObject, @unchecked Sendable {
        // SAFETY: (of @unchecked Sendable) the tests only read it from several threads.
        @Observed var a = 1
        @Observed var b = 2
        var sum: Int { a + b }
    }
    final class Observer: Sendable {}

    @Test("A property may be read by a getter that is followed while another read of it is open")
    func aReadInsideARead() async {
        await #expect(processExitsWith: .success) {
            let (model, observer) = (Model(), Observer())
            let observations = ObservationController(observer: observer)
            // SAFETY: the property stays where it is as long as the object, which is used below.
            let property = unsafe withUnsafeMutablePointer(to: &model.a) { unsafe $0 }
            let result: Void? = unsafe LastingRead.of(property) { observations.observe(model, \.sum, options: .new) { _, _, _ in } }
            #expect(result != nil)
            #expect(model.sum == 3)
        }
    }

    @Test("Rule 36: threads may observe a computed property of one object, which nobody writes, at once")
    func threadsObserveOneComputedProperty() {
        let model = Model()
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<200 {
                let observer = Observer()
                let observations = ObservationController(observer: observer)
                observations.observe(model, \.sum, on: .anyThread { _, _ in })
            }
        }
        #expect(model.sum == 3)
    }

    // MARK: Where a property is found

    class Base: KeyValueObject {
        @Observed var small: UInt8 = 1
        @Observed var text = "a"
        @AtomicObserved var shared = 1
        @Observed var large = (1, 2, 3, 4, 5)
        @Observed var last: UInt8 = 1
        var all: String { "\(small) \(text) \(shared) \(large) \(last)" }
    }
    class Derived: Base {
        @Observed var more: [Int] = []
        @AtomicObserved var flag = false
        override var all: String { "\(super.all) \(more) \(flag)" }
    }
    class Generic<Content: Sendable>: KeyValueObject {
        @Observed var content: Content
        @AtomicObserved var shared: Content
        @Observed var after: UInt8 = 0
        var all: String { "\(content) \(shared) \(after)" }

        init(_ content: Content) {
            self.content = content
            shared = content
        }
    }
    final class Pair<Part: Sendable>: Generic<(Part, Part)> {
        @Observed var part: Part
        override var all: String { "\(super.all) \(part)" }

        init(_ part: Part) {
            self.part = part
            super.init((part, part))
        }
    }
    final class Plain: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var number = 1
        @Observed var nothing: Void = ()
        @Observed var byte: UInt8 = 1
        var all: String { "\(number) \(nothing) \(byte)" }
    }
    final class Large: KeyValueObject {
        /// More than a blank on the stack has room for; optimised code with much more takes the compiler minutes.
        let padding = InlineArray<160, Int>(repeating: 0)
        @Observed var number = 1
        @AtomicObserved var shared = 1
        var all: String { "\(number) \(shared)" }
    }
    @MainActor final class Isolated: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var number = 1
        @AtomicObserved var shared = 1
        var all: String { "\(number) \(shared)" }
    }

    /// Changes each property once; a computed property that reads them all must be told of each.
    private func expectEachIsFollowed<Subject: KeyValueObservable>(
        _ subject: Subject, _ keyPath: KeyPath<Subject, String>, _ changes: [(Subject) -> Void], line: Int = #line,
        isolation: isolated (any Actor)? = #isolation
    ) {
        let observer = Observer()
        let observations = ObservationController(observer: observer)
        var told: [String] = []
        observations.observe(subject, keyPath, isolation: isolation) { _, all in told.append(all) }
        for (index, change) in changes.enumerated() {
            change(subject)
            #expect(told.count == index + 2, "\(Subject.self), change \(index)")
            #expect(told.last == subject[keyPath: keyPath])
        }
    }

    static let changesOfBase: [@Sendable (Base) -> Void] = [
        { $0.small = 2 }, { $0.text = "b" }, { $0.shared = 2 }, { $0.large.4 = 6 }, { $0.last = 2 }, { $0.$shared.update { $0 += 1 } },
    ]

    @MainActor @Test("Rule 13: what a getter reads is found in classes of every shape")
    func everyShapeOfClass() {
        expectEachIsFollowed(Base(), \.all, Self.changesOfBase.map { change in { change($0) } })
        expectEachIsFollowed(
            Derived(), \.all, Self.changesOfBase.map { change in { change($0) } } + [{ $0.more = [1] }, { $0.flag = true }])
        expectEachIsFollowed(Generic(UInt8(1)), \.all, [{ $0.content = 2 }, { $0.shared = 2 }, { $0.after = 1 }])
        expectEachIsFollowed(Generic("a"), \.all, [{ $0.content = "b" }, { $0.shared = "b" }, { $0.after = 1 }])
        expectEachIsFollowed(Generic(()), \.all, [{ $0.content = () }, { $0.shared = () }, { $0.after = 1 }])
        expectEachIsFollowed(
            Pair("a"), \.all, [{ $0.content.1 = "b" }, { $0.shared = ("b", "c") }, { $0.after = 1 }, { $0.part = "b" }])
        expectEachIsFollowed(Plain(), \.all, [{ $0.number = 2 }, { $0.nothing = () }, { $0.byte = 2 }])
        expectEachIsFollowed(Large(), \.all, [{ $0.number = 2 }, { $0.shared = 2 }])
    }

    @MainActor @Test("Rule 13: … and in those of an actor")
    func aClassOfAnActor() {
        let (isolated, observer) = (Isolated(), Observer())
        let observations = ObservationController(observer: observer)
        var told: [String] = []
        observations.observe(isolated, \.all) { _, all in told.append(all) }
        isolated.number = 2
        isolated.shared = 2
        #expect(told == ["1 1", "2 1", "2 2"])
    }
}
