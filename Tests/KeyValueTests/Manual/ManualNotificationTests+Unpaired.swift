import SafeKVO
import SafeKVOTesting
import TestSupport
import Testing

/// Beginnings without an end, and ends without a beginning.
extension ManualNotificationTests {
    @Test("Rule 24: did without will delivers nothing and harms nothing later")
    func didWithoutWill() throws {
        account.didChangeValue(for: \.left)
        listen(to: account, \.left, as: "left")
        listen(to: account, \.limit, as: "limit")
        account.foreign["left"] = 1
        for _ in 1...3 {
            account.didChangeValue(for: \.left)
            account.didChangeValue(for: \.limit)
        }
        try log.expect([])
        account.withChange(of: \.left) { account.foreign["left"] = 2 }
        account.limit = 1
        try log.expect(["left prior old 1", "left after old 1 new 2", "limit prior old 0", "limit after old 0 new 1"])
    }

    @Test("Rule 24: did without will inside a scoped change does not end that")
    func didWithoutWillInsideAScope() throws {
        listen(to: account, \.limit, as: "limit")
        account.withChange(of: \.limit) {
            account.didChangeValue(for: \.limit)
            account.limit = 1
        }
        let change = account.willChange(\.limit)
        account.didChangeValue(for: \.limit)
        account.limit = 2
        change.didChange()
        try log.expect(["limit prior old 0", "limit after old 0 new 1", "limit prior old 1", "limit after old 1 new 2"])
    }

    @Test("Rule 24: a will without did keeps its key silent on its thread, and no other key and no other thread")
    func willWithoutDid() throws {
        listen(to: account, \.limit, as: "limit")
        listen(to: account, \.name, .new, as: "name")
        account.willChangeValue(for: \.limit)
        try log.expect(["limit prior old 0"])
        account.limit = 1
        account.withChange(of: \.limit) { account.limit = 2 }
        for value in 3...4 {
            account.willChangeValue(for: \.limit)
            account.limit = value
            account.didChangeValue(for: \.limit)
        }
        try log.expect([])
        account.name = "b"
        OtherThread.run { [account] in account.limit = 5 }
        try log.expect(["name after new b", "limit prior old 4", "limit after old 4 new 5"])
        account.didChangeValue(for: \.limit)
        try log.expect(["limit after old 0 new 5"])
        account.limit = 6
        try log.expect(["limit prior old 5", "limit after old 5 new 6"])
    }

    @Test("Rule 24: a will without did inside a scoped change keeps its key silent until it is matched")
    func willWithoutDidInsideAScope() throws {
        listen(to: account, \.limit, .new, as: "limit")
        account.withChange(of: \.limit) {
            account.willChangeValue(for: \.limit)
            account.limit = 1
        }
        account.limit = 2
        try log.expect([])
        account.didChangeValue(for: \.limit)
        try log.expect(["limit after new 2"])
    }

    @Test("Rule 24: a will without did is reported once when the object is deallocated", arguments: [true, false])
    func willWithoutDidIsReported(isObserved: Bool) throws {
        let start: UInt = #line
        do {
            let account = Account()
            account.foreign = [:]
            let observations = ObservationController(observer: teller, retainsObserved: false)
            if isObserved { observations.observe(account, \.limit, options: .prior) { _, _, _ in } }
            for _ in 1...3 { account.willChangeValue(for: \.limit, line: start + (isObserved ? 1 : 2)) }
            #expect(Warnings.about(start...start + 2).filter { $0.hasSuffix(isObserved ? "1" : "2") } == [])
        }
        let line = start + (isObserved ? 1 : 2)
        #expect(Warnings.about(line...line) == ["abandonedAnnouncement 0"])
        let message = try #require(Warnings.messages(line...line).first)
        #expect(
            message.contains(isObserved ? "Account.limit" : "Account.")
                && message.contains("ManualNotificationTests+Unpaired.swift:\(line)"))
        #expect(message.contains("withChange(of:_:)") && message.contains("willChange(_:)"))
    }

    @Test("Rule 24: a will without did is reported once, at the 100th change that it swallowed", arguments: [true, false])
    func swallowedChangesAreReported(isComputed: Bool) throws {
        let start: UInt = #line + (isComputed ? 1 : 0)
        do {
            let account = Account()
            let observations = ObservationController(observer: teller, retainsObserved: false)
            observations.observe(account, \.limit, options: []) { _, _, _ in }
            observations.observe(account, \.left, options: []) { _, _, _ in }
            func change() {
                if isComputed { account.withChange(of: \.left) { account.foreign = [:] } } else { account.limit += 1 }
            }
            if isComputed { account.willChangeValue(for: \.left, line: start) } else { account.willChangeValue(for: \.limit, line: start) }
            for _ in 1...99 { change() }
            #expect(Warnings.about(start...start) == [])
            change()
            #expect(Warnings.about(start...start) == ["abandonedAnnouncement 0"])
            for _ in 1...200 { change() }
            observations.observe(account, isComputed ? \.left : \.limit, options: [], tag: "again") { _, _, _ in }
        }
        #expect(Warnings.about(start...start) == ["abandonedAnnouncement 0"])
        #expect(Warnings.messages(start...start).allSatisfy { $0.contains("100 changes") })
    }

    @Test("Rules 23, 24: what a computed key swallows of its dependencies is reported")
    func swallowedDependenciesAreReported() throws {
        listen(to: account, \.limit.description, .new, as: "text")
        let start: UInt = #line
        account.willChangeValue(for: \.limit.description)
        for value in 1...99 { account.limit = value }
        #expect(Warnings.about(start...#line) == [])
        account.limit = 100
        #expect(Warnings.about(start...#line) == ["abandonedAnnouncement 1"])
        account.didChangeValue(for: \.limit.description)
        try log.expect(["text after new 100"])
    }

    @Test("Rule 24: changes inside a closure or a token are not reported, however many")
    func changesInsideAClosureAreNotReported() throws {
        let start: UInt = #line
        account.withChange(of: \.limit) { for value in 1...200 { account.limit = value } }
        let change = account.willChange(\.limit)
        for value in 1...200 { account.limit = value }
        account.willChangeValue(for: \.limit)
        account.didChangeValue(for: \.limit)
        change.didChange()
        #expect(Warnings.about(start...#line) == [])
    }

    @Test("Rule 24: what ends is not reported, nor what is observed in a call before the change")
    func whatEndsIsNotReported() throws {
        let start: UInt = #line
        do {
            let account = Account()
            let observations = ObservationController(observer: teller)
            observations.observe(account, \.limit, options: .prior) { [self] _, account, _ in
                listen(to: account, \.limit, as: "limit")
            }
            account.willChangeValue(for: \.limit)
            account.didChangeValue(for: \.limit)
            account.withChange(of: \.limit) { listen(to: account, \.limit.description, as: "text") }
        }
        observations.unobserveAll()
        #expect(Warnings.about(start...#line) == [])
    }
}
