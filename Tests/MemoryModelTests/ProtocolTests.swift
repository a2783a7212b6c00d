import Foundation
import MemoryModel
import Testing

/// What `SAFEKVO_MEMORY_MODEL` asks for: `all` for the large programs as well, `write` for the table of weakenings.
let memoryModelWish = ProcessInfo.processInfo.environment["SAFEKVO_MEMORY_MODEL"]

/// `false` in a debug build, which would take minutes to find defects and to weaken sites: it explores the small programs, as they are written.
let isOptimized: Bool = {
    #if DEBUG
        false
    #else
        true
    #endif
}()

/// The sites whose steps each of the programs takes that are explored with each weakening.
enum ProgramSites {
    static let all: [String: Set<ObjectIdentifier>] = Dictionary(
        uniqueKeysWithValues: Transcripts.programs.map { ($0.name, Exploration.explore($0).sites) })

    /// The programs that take the step of a site.
    static func programs(of site: Site) -> [Program] {
        Transcripts.programs.filter { all[$0.name]?.contains(ObjectIdentifier(site)) ?? false }
    }
}

@Suite struct ProtocolTests {
    private static var programs: [Program] {
        Transcripts.programs + (isOptimized ? Transcripts.mediumPrograms : []) + (memoryModelWish == "all" ? Transcripts.largePrograms : [])
    }

    @Test("Each transcribed protocol keeps what it promises, in every state", arguments: programs.map(\.name))
    func keepsItsPromise(name: String) async throws {
        let finding = try #require(await Explorer.explore(name, of: { Self.programs }))
        if memoryModelWish == "all" { print("Memory model: \(name): \(finding.states) states, \(finding.steps) steps") }
        #expect(finding.violation == nil, "\(finding.violation ?? "")\n\(finding.trace.joined(separator: "\n"))")
    }

    @Test(
        "A protocol with a defect that the project had, or would have without a part of it, is found out", .enabled(if: isOptimized),
        arguments: [
            ("pins: a load asks for deliveries", "info 1 is released while a thread may be using it"),
            ("pins: nothing is collected after it was said that something waits", "nothing is pinned, and something waits"),
            ("late: who is notified is settled before the write", "an observer has the old value, and is never notified of the new one"),
            // Found by this checker.
            (
                "spelling: a hidden property, asked before the key path",
                "a key path is taken for that of the property, which is hidden"
            ),
            ("pause: resumed without asking for the initial call", "an older value is handed over after a newer one"),
            ("pause: its number is noted last", "an observer is called before a change, and not after it"),
            ("pause: its number is made the serial one first", "an observer is called before a change, and not after it"),
            // Mended by the commit "Read a value again at its delivery if it may be newer than its number".
            (
                "values: an initial value beside two assignments, its number not asked again",
                "an older value is handed over after a newer one"
            ),
            ("values: three evaluations, its number not asked again", "an older value is handed over after a newer one"),
            (
                "paths: a first evaluation beside an assignment, linked after the read",
                "the last value is not the one that the observers have"
            ),
            ("paths: a dependency appears, its mark left", "the last value is not the one that the observers have"),
            ("paths: a dependency appears, without a turn", "two threads evaluate the key path at once"),
            ("lock: 2 threads, one of which waits unannounced", "deadlock: every thread waits"),
            ("end: a path, a call and an end elsewhere, a leave does not unlink", "a last value is never let go of"),
            (
                "end: a call, the controller's end, an end elsewhere, the hold is moved without a look at the set",
                "a hold is added after the end of the controller"
            ),
            ("end: a handler that removes, an end elsewhere, opened in a call", "a hold is let go of while its handler runs"),
            (
                "end: a handler that removes in a living home, an end elsewhere, opened at home in a call",
                "a hold is let go of while its handler runs"
            ),
            ("end: a living home, a delivery elsewhere, the count decides at home", "an info goes with its hold"),
            (
                "end: a buffer of a living home, a removal, a delivery elsewhere, the count decides for a buffer",
                "an info goes with its hold"
            ),
            ("end: a dead actor, an end and a delivery elsewhere, the last leave does not move the hold", "an info is never released"),
            ("end: a dead actor, an end and a delivery elsewhere, whoever leaves opens", "a hold is let go of elsewhere"),
            ("end: a buffer, a delivery and an end elsewhere, whoever leaves opens", "a hold is let go of elsewhere"),
            ("end: a call, a removal, an end elsewhere, one bit for the report and the release", "an info goes with its hold"),
            ("end: a call and an end elsewhere, while the controller stays, whoever ends it opens", "a hold is let go of elsewhere"),
            (
                "end: a call, the controller's end, an end elsewhere, the hold is added after the lock",
                "a hold is added after the end of the controller"
            ),
            ("end: a call, the controller's end, an end elsewhere, forgotten before the mark", "an info goes with its hold"),
            ("end: the controller's end, two ends elsewhere, the end takes the holds before the rest", "a hold stays in the set"),
            (
                "end: a call and an end elsewhere, while the controller stays, a leave that opens leaves the entry in the set",
                "an info is never released"
            ),
            ("end: a handler that removes, an end elsewhere, the hold is moved in a call", "a hold is moved while its handler runs"),
            (
                "end: the controller is released elsewhere, an end elsewhere, the hold is moved while the home lives",
                "a hold is let go of elsewhere"
            ),
            ("end: a handler that removes, an end elsewhere, reported in a call", "an end is reported while a call runs"),
            (
                "end: a call of a living home, an end elsewhere, the job does not keep the info",
                "data race: a read of the hold of the info and a write of another thread"
            ),
            (
                "end: a path, an evaluation and an end elsewhere, the last value is taken from whoever has the turn",
                "the last value goes while the path is evaluated"
            ),
            ("end: a path, an evaluation and an end elsewhere, whoever passes the turn takes nothing", "a last value is never let go of"),
            (
                "end: a path, one observer removed, one ended elsewhere, another home, the last value of another home is taken",
                "the last value of another home is taken"
            ),
            ("end: a token ends, an end elsewhere, a token looks for the mark only", "a controller goes with the holds in its set"),
            (
                "end: a registration after an end elsewhere, of which it knows, a marked entry counts as present",
                "an observation is refused for the sake of one that has ended"
            ),
        ])
    func defectsAreFound(name: String, violation: String) async throws {
        let finding = try #require(await Explorer.explore(name, of: { Transcripts.defects }))
        #expect(finding.violation == violation)
        #expect(!finding.trace.isEmpty)
    }

    @Test("The steps that lead to a violation are told one by one, with the thread, the site, and what was read") func trace() async throws
    {
        let site = try #require(Transcripts.sites.first { $0.function == "numberChangeOfOneThread" && $0.operation == "store" })
        let finding = try #require(
            await Explorer.explore("changes: numbered by one thread", of: { Transcripts.programs }, { [Weakened(site, .relaxed)] }))
        #expect(finding.violation == "the initial value is older than its number says")
        #expect(
            finding.trace == [
                "change 1: the program's value [access relaxed] 0 -> 1",
                "change 1: list.changes [numberChangeOfOneThread: load relaxed] = 1",
                "change 1: list.changes [numberChangeOfOneThread: store releasing, weakened to relaxed] := 2",
                "registration: list.changes [lastChange: load acquiring] = 2",
                "registration: the program's value [access relaxed] = 0, which is not the latest",
            ])
    }

    @Test("Threads that wait for each other are a violation") func deadlock() {
        var memory = Memory()
        let (one, other) = (memory.lock("one"), memory.lock("other"))
        let finding = Exploration.explore(
            Program(
                "locks in two orders", memory,
                [
                    ("first", [{ t in try t.withLock(one) { try t.withLock(other) {} } }]),
                    ("second", [{ t in try t.withLock(other) { try t.withLock(one) {} } }]),
                ]))
        #expect(finding.violation == "deadlock: every thread waits")
    }

    @Test("Plain accesses without order are a data race, and with a release and an acquire they are none", arguments: [true, false])
    func race(isOrdered: Bool) {
        var memory = Memory()
        let value = memory.plain("the value")
        let flag = memory.atomic("the flag")
        let finding = Exploration.explore(
            Program(
                "a flag and a value", memory,
                [
                    (
                        "writer",
                        [
                            { t in
                                try t.write(value, 1)
                                try t.store(flag, 1, isOrdered ? Litmus.releasing : Litmus.relaxed)
                            }
                        ]
                    ),
                    ("reader", [{ t in if try t.load(flag, Litmus.acquiring) == 1 { _ = try t.read(value) } }]),
                ]))
        #expect(finding.violation == (isOrdered ? nil : "data race: a read of the value and a write of another thread"))
    }
}
