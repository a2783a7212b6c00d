/// All that is transcribed, and how to read it and to add to it.
///
/// The library's lock-free parts run on memory that shows one thread the writes of another late, and in another order, unless a memory order forbids it.
/// The processors of the developers and of CI forbid most of that by themselves, so that running the library there proves little. Here each
/// protocol is written once more, one step an atomic operation, and a checker visits all states that a few threads can reach under RC11.
///
/// ## The model
///
/// Each atomic word has a history: the values that it had, in the order on which all threads agree. Each thread has a view: for each word the oldest
/// value that it may still read. A load takes any value from there on. A store goes behind any value that the thread may read, unless it would come
/// between a read-modify-write and what that read. A value keeps the view of the thread that stored it with release, and a load with acquire takes that
/// over. A read-modify-write keeps what it read as well: this is the release sequence, of read-modify-writes alone, as in C++20. A sequentially
/// consistent fence exchanges what is known of atomic words with one view that all such fences share.
///
/// A plain word has no history. To use it while a write of another thread is not known, or to write it while a read is not known, is a data race. The
/// memory of an object is such a word: each use reads it, and to release the object writes it. So an object that is released while a thread may be
/// using it is found even where, in that run, nobody does.
///
/// Not modelled:
/// - Load buffering, which RC11 forbids. The C++ standard, and some processors, allow it for relaxed accesses that do not depend on each other.
/// - Sequentially consistent loads and stores, of which the sources have none.
/// - A compare-and-exchange that fails without a reason. In the loops of the sources it is one that is tried again.
/// - Release sequences through later stores of the same thread, which RC11 has and C++20 has not: what holds without them holds with them.
/// - More threads than a program has, and words that a program leaves out.
///
/// ``Exploration`` goes depth first and visits each state once, by a fingerprint of 128 bits. What no thread can read any more is no part of a state.
///
/// ## How to read a transcript
///
/// A transcript is named after what it transcribes, and begins with its sites: one ``Site`` for each `ordering:`, with the file, the function, the
/// operation and the memory order, those of one function in the order of the source. Then come the functions, with the names that they have in the
/// source, line by line; each takes the thread, `t`. `t.load`, `t.store`, `t.add` and so on are steps, between which any other thread may run.
/// `t.read` and `t.write` are accesses to plain words, `t.free` releases an object, `t.check` says what must hold. Ghosts are words of the checker: they
/// count what has happened, and order nothing. What is left out of a function concerns no other thread.
///
/// The programs of a transcript say in their checks what the protocol promises. ``ModelThread`` runs the function of a thread from its beginning for
/// each step, with the results of the steps before. So it must do nothing but call `t` and calculate.
///
/// A test that fails prints the steps that lead there:
///
///     change 1: list.changes [numberChangeOfOneThread: store releasing, weakened to relaxed] := 2
///     registration: list.changes [lastChange: load acquiring] = 2
///     registration: the program's value [access relaxed] = 0, which is not the latest
///
/// ## How to add one
///
/// 1. Declare the sites. A test compares them with the sources: it fails if a file of ``folders`` has an `ordering:` that is no site, or the reverse.
///    A site that is part of no protocol says why, as `untranscribed`.
/// 2. Write the functions, and programs of two or three threads in which what is promised could fail. A program of more than about 5 000 states goes to
///    ``mediumPrograms``, one of more than about 100 000 to ``largePrograms``, which are visited with `SAFEKVO_MEMORY_MODEL=all`.
/// 3. Add both to the lists here, and write the table of weakenings anew: `SAFEKVO_MEMORY_MODEL=write`. It says what each weaker memory order breaks.
///    Where that is nothing, the program may be too small; if it is not, add a ``Judgement`` that says why.
package enum Transcripts {
    /// The folders of `Sources/SafeKVO` of which every `ordering:` is a site.
    package static let folders = ["Delivery", "Controller", "KeyValue"]

    /// The sites, those of one function in the order of the source.
    package static var sites: [Site] {
        [
            PinTranscript.sites, ChainTranscript.sites, InfoTranscript.sites, RecordTranscript.sites, ListTranscript.sites,
            SpellingTranscript.sites, OnceTranscript.sites, TransferTranscript.sites,
            AnnouncementTranscript.sites, LockTranscript.sites,
            OtherSites.sites,
        ].flatMap { $0 }.reduce(into: []) { sites, site in
            if !sites.contains(where: { $0 === site }) { sites.append(site) }
        }
    }

    /// The programs, each of which keeps what its protocol promises.
    package static var programs: [Program] {
        ChainTranscript.programs + InfoTranscript.programs + RecordTranscript.numberPrograms
            + [RecordTranscript.entireProgram, RecordTranscript.countProgram, RecordTranscript.registration(settledBefore: false)]
            + ListTranscript.programs
            + SpellingTranscript.programs + OnceTranscript.programs + ReferenceTranscript.programs + TransferTranscript.programs
            + AnnouncementTranscript.programs + InfoTranscript.pausePrograms + InfoTranscript.homePrograms + PauseTranscript.programs
            + PathTranscript.programs + LockTranscript.programs + EndPrograms.programs
    }

    /// Programs of more states than are visited with each weakening.
    package static var mediumPrograms: [Program] {
        ChainTranscript.mediumPrograms + InfoTranscript.mediumPrograms + ValueTranscript.mediumPrograms + EndPrograms.mediumPrograms
    }

    /// Programs of more states than a test visits in a minute.
    package static var largePrograms: [Program] {
        ChainTranscript.largePrograms + InfoTranscript.largePrograms + ValueTranscript.largePrograms + EndPrograms.largePrograms
    }

    /// Programs with a defect that the project had, or would have without a part of a protocol.
    package static var defects: [Program] {
        ChainTranscript.defects + [RecordTranscript.registration(settledBefore: true)]
            + [SpellingTranscript.hidden(.hiddenIsAskedFirst), InfoTranscript.resumedStart(.initialCallIsNotAskedFor)]
            + [LockTranscript.program(threads: 2, .waitIsNotAnnounced)] + PauseTranscript.defects + ValueTranscript.defects
            + PathTranscript.defects + EndPrograms.defects
    }
}

/// Sites that are part of no protocol.
enum OtherSites {
    private static func all(_ file: String, _ places: [(function: String, operation: String)], why: String) -> [Site] {
        places.map { Site(file, $0.function, $0.operation, .relaxed, untranscribed: why) }
    }

    static let sites: [Site] = {
        let statistic = "A statistic: each number is counted by itself, and read at any time."
        let open = """
            A flag for messages, and for paths that must not read: whoever opens a property reads its own, and two threads that change one property \
            at once are a race of the program.
            """
        return [
            all("Delivery/Info/ObservationOwner.swift", [("count", "wrappingAdd")], why: statistic),
            all("Delivery/Event/Delivery.swift", [("setOpen", "store")], why: open),
            all("KeyValue/Property/PropertyAccess.swift", [("openSilently", "store"), ("closeSilently", "store")], why: open),
            all("KeyValue/Manual/ManualAnnouncement.swift", [("isReadable", "load")], why: open),
            all(
                "Delivery/ObserverList/ObserverList+Delivery.swift", [("wantsPriorCall", "load")],
                why: "An observer whose initial call ends on another thread gets the call after the change, with or without the one before."
            ),
            all("KeyValue/Paths/AccessRecorder.swift", [("willRead", "load")], why: open),
            all("Delivery/ObservationBroker.swift", [("handOverOnce", "load")], why: open),
            all(
                "Delivery/ObserverList/ObserverList+Delivery.swift", [("handOver", "load")],
                why: "Asked by the thread that mutates a property in place, which has left the mark itself."),
            all("KeyValue/Paths/TrackedPath+Evaluation.swift", [("isOpen", "load")], why: open),
            all(
                "Delivery/ObserverList/DeliveryFrame.swift", [("numberOfChange", "wrappingAdd")],
                why: "Numbers for the log that are all different."),
            all("Controller/ControllerCore.swift", [("logFromNowOn", "bitwiseOr")], why: "A switch, which need not be seen at once."),
            all("Controller/ObservationCounters.swift", [("load", "load")], why: statistic),
            all("Controller/ObservationSequence.swift", [("yield", "wrappingAdd"), ("droppedCount", "load")], why: statistic),
            all("Controller/ObservationSequence.swift", [("tag", "wrappingAdd")], why: "Numbers that are all different."),
        ].flatMap { $0 }
    }()
}
