import CSafeKVO
import Testing

extension AssumptionTests {
    /// Notes the steps of one object's deallocation.
    private final class Journal {
        private(set) var lines: [String] = []
        /// Loads a weak reference to the object.
        var load: () -> AnyObject? = { nil }
        var address: UInt = 0

        func note(_ step: String) {
            // SAFETY: the notes are made before the object's memory is freed.
            let isDying = unsafe UnsafeRawPointer(bitPattern: address).map { unsafe safekvo_is_deallocating($0) }
            lines.append("\(step): \(load() == nil ? "nil" : "loaded"), \(isDying ?? false ? "dying" : "alive")")
        }

        func noteNewObjects() {
            let others = (0..<100).map { Other($0, $0) }
            if others.contains(where: { Memory.address(of: $0) == address }) { lines.append("The memory was free.") }
        }
    }

    /// Has the size of a `Base`.
    private final class Other {
        let first, second: Int
        init(_ first: Int, _ second: Int) { (self.first, self.second) = (first, second) }
    }

    private class Base {
        let journal: Journal
        let registrar: Registrar

        init(_ journal: Journal) {
            self.journal = journal
            registrar = Registrar(journal: journal)
            journal.address = Memory.address(of: self)
            journal.load = { [weak self] in self }
        }

        deinit { journal.note("Base") }
    }

    private final class Sub: Base { deinit { journal.note("Sub") } }

    private struct Registrar: ~Copyable {
        let journal: Journal

        deinit {
            journal.note("Registrar")
            journal.noteNewObjects()
        }
    }

    @Test(
        "Weak references are nil before the `deinit` of an object, then come its stored properties, then its memory is free",
        .reliedOn(by: "Delivery/ObserverList/ObserverRegistrar.swift", instead: "nothing: a record could outlive its object"))
    func orderOfDeath() {
        let journal = Journal()
        func live() { withExtendedLifetime(Sub(journal)) { journal.note("Init") } }
        live()
        #expect(journal.lines == ["Init: loaded, alive", "Sub: nil, dying", "Base: nil, dying", "Registrar: nil, dying"])
    }

    @Test(
        "`swift_isDeallocating` tells that the `deinit` of an object has begun, with and without weak references",
        .reliedOn(
            by: "CSafeKVO.c (`safekvo_is_deallocating`) and its callers in Delivery",
            instead: "a weak reference, formed and loaded, which costs 69 ns and a side table"))
    func isDeallocating() {
        final class Dying {
            let note: (Bool) -> Void
            init(_ note: @escaping (Bool) -> Void) { self.note = note }
            // SAFETY: (of this and of the call below) a reference to the object exists.
            deinit { note(unsafe safekvo_is_deallocating(Unmanaged.passUnretained(self).toOpaque())) }
        }
        for hasWeakReference in [false, true] {
            var notes: [Bool] = []
            func live() {
                let object = Dying { notes.append($0) }
                weak let reference = hasWeakReference ? object : nil
                notes.append(unsafe safekvo_is_deallocating(Unmanaged.passUnretained(object).toOpaque()))
                withExtendedLifetime(object) { #expect((reference === object) == hasWeakReference) }
            }
            live()
            #expect(notes == [false, true])
        }
    }

    /// A reference as the library has to observers and observed objects whose references Swift counts.
    @safe private struct Reference: ~Copyable {
        // SAFETY: (of the calls below) the runtime keeps the memory of the object until `swift_unownedRelease`.
        private let address: UnsafeMutableRawPointer

        init(_ object: AnyObject) {
            unsafe address = Unmanaged.passUnretained(object).toOpaque()
            unsafe swift_unownedRetain(address)
        }

        deinit { unsafe swift_unownedRelease(address) }

        var object: AnyObject? {
            unsafe swift_tryRetain(address).map { unsafe Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
        }

        var isGone: Bool { unsafe safekvo_is_deallocating(address) }
    }

    @Test(
        """
        In memory that `swift_unownedRetain` keeps, `swift_tryRetain` retains an object, or returns null after its end, and \
        `swift_isDeallocating` tells which
        """,
        .reliedOn(
            by: "Delivery/Unretained.swift, for observers and observed objects",
            instead: "a weak reference, with which a delivery takes 73 ns and not 47")
    )
    func tryRetain() {
        final class Dying {
            var note: () -> Void = {}
            deinit { note() }
        }
        var notes: [Bool] = []
        func reference() -> Reference {
            let object = Dying()
            let reference = Reference(object)
            // Each load retains once, and its release lets the object end.
            for _ in 0..<3 { #expect(reference.object === object && !reference.isGone) }
            object.note = { [reference = Reference(object)] in notes.append(reference.object == nil && reference.isGone) }
            withExtendedLifetime(object) {}
            return reference
        }
        let gone = reference()
        #expect(notes == [true])
        #expect(gone.object == nil && gone.isGone)
    }
}
