import SafeKVO

/// Issue 15, item 1: bits that are no options, in every form that takes options.
enum Options {
    /// The bits that mean something.
    private static let known: KeyValueObservingOptions = [.new, .old, .initial, .prior]

    static let mistakes = Mistakes(
        "bits that are no options",
        [true, false].flatMap { retaining in
            Form.all.map { form in
                Mistake("\(form.name), retaining: \(retaining)") { try every(form, retaining: retaining) }
            }
        } + [
            Mistake("an actor that observes its own object") {
                let (whole, desk) = (Whole(), Desk())
                for bits in 0...UInt8.max {
                    let results = await desk.observe(whole, options: KeyValueObservingOptions(rawValue: bits))
                    try check(results == [.added, .added, .added], "\(bits): \(results)")
                }
                let calls = await desk.calls
                try check(calls >= 4 * 256, "\(calls) calls")
            },
            Mistake("what an option set says of them") {
                for bits in 0...UInt8.max {
                    let options = KeyValueObservingOptions(rawValue: bits)
                    try check(options.rawValue == bits & known.rawValue, "rawValue of \(bits) is \(options.rawValue)")
                    try check(options.isSubset(of: known), "\(bits) is more than all options")
                    try check(options.description.hasPrefix("["), "description of \(bits)")
                }
            },
        ])

    @MainActor
    private static func every(_ form: Form, retaining: Bool) throws {
        for bits in 0...UInt8.max {
            var whole = Whole()
            let all = Controllers(retaining: retaining)
            let options = KeyValueObservingOptions(rawValue: bits)
            let results = form.begin(all, whole, options)
            for result in results where result != .alreadyObserved && !(form.isElsewhere && options.contains(.prior)) {
                try check(result == (form.isOfTheDesk ? .refused(.handlerOfAnotherIsolation) : .added), "\(bits): \(result)")
            }
            for snapshot in all.ofWatcher.observations + all.ofDesk.observations + all.shared.observations {
                try check(snapshot.options.isSubset(of: known), "\(bits): a snapshot says \(snapshot.options.rawValue)")
                try check(!snapshot.retainsSubject || retaining, "\(bits): the object is retained")
            }
            whole.number = 1
            withBatchedChanges { whole.number = 2 }
            all.unobserveAll()
            whole.number = 3
            if form.isHopping { continue }
            try check(isKnownUniquelyReferenced(&whole), "\(bits): somebody keeps the object, or has let it go once too often")
        }
    }
}
