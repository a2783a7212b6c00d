import Testing

@testable import SafeKVO
@testable import SafeKVOFoundation

/// What is registered and unregistered, and by whom, decided without threads.
@Suite struct RegistrationLedgerTests {
    @Test("One thread carries out, in order; others leave their orders to it")
    func oneThreadCarriesOut() {
        var ledger = RegistrationLedger()
        #expect(ledger.add(1, for: "a") == true)
        #expect(ledger.next() == .add(1, key: "a"))
        #expect(ledger.add(2, for: "b") == false)
        #expect(ledger.remove(1) == false)
        #expect(ledger.next() == .add(2, key: "b"))
        #expect(ledger.next() == .remove(1, key: "a"))
        #expect(ledger.next() == nil)
        #expect(ledger.numbers == [2])
        #expect(ledger.remove(2) == true)
    }

    @Test("What is ordered while Cocoa is being called is done when it has returned")
    func ordersInsideACallWait() {
        var ledger = RegistrationLedger()
        _ = ledger.add(1, for: "a")
        #expect(ledger.next() == .add(1, key: "a"))
        #expect(ledger.remove(1) == false)
        #expect(ledger.add(2, for: "b") == false)
        #expect(ledger.next() == .remove(1, key: "a"))
        #expect(ledger.next() == .add(2, key: "b"))
        #expect(ledger.next() == nil)
    }

    @Test("An end that overtakes its beginning takes it back")
    func anEndMayOvertakeItsBeginning() {
        var ledger = RegistrationLedger()
        _ = ledger.add(1, for: "a")
        _ = ledger.next()
        #expect(ledger.add(2, for: "b") == false)
        #expect(ledger.remove(2) == false)
        #expect(ledger.next() == nil)
        #expect(ledger.numbers == [1])
    }

    @Test("A registration is removed once, however often that is asked for")
    func aRegistrationIsRemovedOnce() {
        var ledger = RegistrationLedger()
        _ = ledger.add(1, for: "a")
        while ledger.next() != nil {}
        #expect(ledger.remove(1) == true)
        #expect(ledger.remove(1) == false)
        #expect(ledger.next() == .remove(1, key: "a"))
        #expect(ledger.remove(1) == false)
        #expect(ledger.next() == nil)
        #expect(ledger.remove(1) == false)
        #expect(ledger.remove(9) == false)
    }

    @Test("What is left when the object goes is handed out once, and nothing is ordered after")
    func theObjectsEndEndsTheRest() {
        var ledger = RegistrationLedger()
        for number in 1...3 as ClosedRange<UInt> { _ = ledger.add(number, for: "k\(number)") }
        while ledger.next() != nil {}
        // The object is already too far gone to be called.
        #expect(ledger.remove(2) == true)
        ledger.giveUp()
        #expect(ledger.close().map(\.number) == [1, 2, 3])
        #expect(ledger.close().isEmpty)
        #expect(ledger.add(4, for: "a") == false)
        #expect(ledger.remove(1) == false)
    }
}
