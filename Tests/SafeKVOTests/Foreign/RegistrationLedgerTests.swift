import Testing

@testable import SafeKVO

/// What is registered and unregistered, and by whom, decided without threads.
@Suite struct RegistrationLedgerTests {
    @Test("One thread carries out, in order; another waits for what it adds, and for nothing that it removes")
    func oneThreadCarriesOut() {
        var ledger = RegistrationLedger()
        #expect(ledger.add(1, for: "a", on: 10) == .carryOut)
        #expect(ledger.next() == .add(1, key: "a"))
        #expect(ledger.add(2, for: "b", on: 20) == .wait)
        #expect(ledger.remove(1, on: 20) == .nothing)
        #expect(ledger.isPending(1))
        #expect(ledger.isPending(2))
        #expect(ledger.next() == .add(2, key: "b"))
        #expect(!ledger.isPending(1))
        #expect(ledger.next() == .remove(1, key: "a"))
        #expect(ledger.next() == nil)
        #expect(ledger.numbers == [2])
        #expect(ledger.remove(2, on: 20) == .carryOut)
    }

    @Test("What is ordered while Cocoa is being called is done when it has returned")
    func ordersInsideACallWait() {
        var ledger = RegistrationLedger()
        _ = ledger.add(1, for: "a", on: 10)
        #expect(ledger.next() == .add(1, key: "a"))
        #expect(ledger.remove(1, on: 10) == .nothing)
        #expect(ledger.add(2, for: "b", on: 10) == .nothing)
        #expect(ledger.next() == .remove(1, key: "a"))
        #expect(ledger.next() == .add(2, key: "b"))
        #expect(ledger.next() == nil)
    }

    @Test("An end that overtakes its beginning takes it back")
    func anEndMayOvertakeItsBeginning() {
        var ledger = RegistrationLedger()
        _ = ledger.add(1, for: "a", on: 10)
        _ = ledger.next()
        #expect(ledger.add(2, for: "b", on: 20) == .wait)
        #expect(ledger.remove(2, on: 30) == .nothing)
        #expect(!ledger.isPending(2))
        #expect(ledger.next() == nil)
        #expect(ledger.numbers == [1])
    }

    @Test("A registration is removed once, however often that is asked for")
    func aRegistrationIsRemovedOnce() {
        var ledger = RegistrationLedger()
        _ = ledger.add(1, for: "a", on: 10)
        while ledger.next() != nil {}
        #expect(ledger.remove(1, on: 10) == .carryOut)
        #expect(ledger.remove(1, on: 20) == .nothing)
        #expect(ledger.next() == .remove(1, key: "a"))
        #expect(ledger.remove(1, on: 20) == .nothing)
        #expect(ledger.next() == nil)
        #expect(ledger.remove(1, on: 20) == .nothing)
        #expect(ledger.remove(9, on: 20) == .nothing)
    }

    @Test("What is left when the object goes is handed out once, and nothing is ordered after")
    func theObjectsEndEndsTheRest() {
        var ledger = RegistrationLedger()
        for number in 1...3 as ClosedRange<UInt> { _ = ledger.add(number, for: "k\(number)", on: 10) }
        while ledger.next() != nil {}
        // The object is already too far gone to be called.
        #expect(ledger.remove(2, on: 10) == .carryOut)
        ledger.giveUp()
        #expect(ledger.close().map(\.number) == [1, 2, 3])
        #expect(ledger.close().isEmpty)
        #expect(ledger.add(4, for: "a", on: 10) == .nothing)
        #expect(ledger.remove(1, on: 10) == .nothing)
    }
}
