/// Why a weaker memory order of a site breaks nothing in the programs.
package struct Judgement {
    package let site: Site
    package let text: String
    /// The atomic order that is enough; nil if the site's own is the weakest that there is, or the one that shall stay of several that do the same.
    ///
    /// All of these together break nothing either.
    package let enough: MemoryOrder?
    /// The sites that do the same: with them weakened too, a program breaks.
    package let doubles: [Weakened]

    init(_ site: Site, _ text: String, enough: MemoryOrder? = nil, doubledBy doubles: [Weakened] = []) {
        self.site = site
        self.text = text
        self.enough = enough
        self.doubles = doubles
    }

    private static let locked = "A plain word would do for this access: it is made under the record's lock, and so is every write."
    private static let buffering =
        "A processor that stores the serial number before the bit would call an observer before a change, and not after it."
    private static let unpublished = "A plain word would do for this access: the info is not published yet."
    private static let byChange =
        "Acquiring is not needed: whoever reports or lets go acquires what the others did by the exchange of `changeState`."
    private static let noted = """
        A plain word would do in this protocol: the key path publishes what was noted before. The bits that are noted later need an atomic word.
        """
    private static let hint = "Not needed: the queue's lock orders what waits, and the number is a hint that a job looks at again."
    private static let oneAtATime = """
        A plain word would do: one thread at a time is in the handler, which `enter` and `leave` order.
        """
    private static let marked = """
        Not needed by these programs: all bits are in one word, so that each step sees those before it, and the value's lock orders the value.
        """

    /// The judgements, one for each site of which a weakening breaks nothing.
    package static var all: [Judgement] {
        typealias Pins = PinTranscript
        typealias Chain = ChainTranscript
        typealias Info = InfoTranscript
        typealias Record = RecordTranscript
        typealias Spelling = SpellingTranscript
        return [
            Judgement(
                Pins.unpin, "Acquiring is doubled by three steps of `collect`.", enough: .releasing,
                doubledBy: [
                    Weakened(Pins.collectLoad, .relaxed), Weakened(Pins.collectEpoch, .releasing), Weakened(Pins.collectWaits, .releasing),
                ]),
            Judgement(
                Pins.retireWaits, "Not needed: every later read-modify-write sees it, and what waits is under the lock.", enough: .relaxed),
            Judgement(
                Pins.collectLoad, "Doubled by the acquiring of `unpin`, and of two more steps of `collect`.",
                doubledBy: [
                    Weakened(Pins.unpin, .releasing), Weakened(Pins.collectEpoch, .releasing), Weakened(Pins.collectWaits, .releasing),
                ]),
            Judgement(
                Pins.collectEpoch,
                "Not needed: it carries on the release of `present`, which a pin of the new epoch acquires, and the load before it acquires.",
                enough: .relaxed),
            Judgement(Pins.collectWaits, "Not needed: nothing is reached by way of the bit.", enough: .relaxed),
            Judgement(Chain.isEmpty, "Not needed: the address is compared with zero and not followed.", enough: .relaxed),
            Judgement(Chain.appendTail, locked),
            Judgement(Chain.insertNext, locked),
            Judgement(Chain.insertHead, locked),
            Judgement(Chain.insertOwn, unpublished),
            Judgement(Chain.insertTail, locked),
            Judgement(Chain.removeOwn, locked),
            Judgement(Chain.removeTail, locked),
            Judgement(Info.isLinked, locked),
            Judgement(
                Info.isOver, "Not needed: `link` asks under the record's lock, which the remover takes afterwards.", enough: .relaxed),
            Judgement(Info.enter, "Releasing is not needed: `leave` releases what a call did.", enough: .acquiring),
            Judgement(Info.leave, byChange, enough: .releasing),
            Judgement(Info.leaveAsking, "Not needed: a handler that is called before it is left by `leave`.", enough: .relaxed),
            Judgement(
                Info.changeExchange, "Releasing is not needed: who finds a bit uses nothing that was written before.", enough: .acquiring),
            Judgement(Info.notePause, "Not needed: `pause` releases it with the bit, and `isPaused` acquires that.", enough: .relaxed),
            Judgement(Info.wasPaused, "Not needed: `isPaused` has acquired it with the bit.", enough: .relaxed),
            Judgement(Info.pause, "Acquiring is not needed without load buffering, as in the model. \(buffering)"),
            Judgement(Info.pauseSerial, "Not needed without load buffering, as in the model. \(buffering)"),
            Judgement(Info.resume, marked),
            Judgement(Info.mark, marked),
            Judgement(Info.takeMark, marked),
            Judgement(Info.expect, marked),
            Judgement(Info.arrive, marked),
            Judgement(Info.startOver, marked),
            Judgement(Info.considered, oneAtATime),
            Judgement(Info.consider, oneAtATime),
            Judgement(Info.consideredInCall, oneAtATime),
            Judgement(Record.serialLoad, locked),
            Judgement(
                Record.serialStore,
                "Not needed by the promise to observers that register meanwhile: the lock that guards the value orders the two threads.",
                enough: .relaxed),
            Judgement(Record.linkedStore, unpublished),
            Judgement(Record.currentSerial, "Not needed by `noteLinking`, nor by `pause` without load buffering, as in the model."),
            Judgement(
                Spelling.numberChange, "Acquiring is not needed: nothing is reached by way of the number before.", enough: .releasing),
            Judgement(
                Spelling.oneThreadLoad,
                "A plain word would do for this access: no two threads number the changes of such a property at once."),
            Judgement(Spelling.byHandOnly, noted),
            Judgement(Spelling.hasInterventions, noted),
            Judgement(Spelling.noteInheritance, noted),
            Judgement(Spelling.readsGetter, noted),
            Judgement(Spelling.noteOverriding, noted),
            Judgement(Spelling.isOverriding, noted),
            Judgement(Spelling.isHidden, noted),
            Judgement(Spelling.noteDependencies, noted),
            Judgement(Spelling.isDependent, noted),
            Judgement(Spelling.isByHandOnly, noted),
            Judgement(OnceTranscript.store, "Acquiring is doubled by the load of the object that is there.", enough: .releasing),
            Judgement(TransferTranscript.count, hint, enough: .relaxed),
            Judgement(TransferTranscript.append, hint, enough: .relaxed),
            Judgement(TransferTranscript.next, hint, enough: .relaxed),
            Judgement(TransferTranscript.end, hint, enough: .relaxed),
        ]
    }
}
