import SafeKVO

/// A random program of the main actor and another thread, and the rules of home against which each of its calls is judged.
///
/// The two threads take turns, so that each call is known. `violation` describes the first rule that was broken.
@MainActor final class HomeProgram {
    private var generator: SplitMix64
    private let downloads = [HomeDownload(), HomeDownload(), HomeDownload()]
    private let station: HomeStation
    private var views = [HomeView(), HomeView()]
    private var isPaused = [false, false]
    private var observations: [HomeObservation] = []
    private var trace: [String] = []
    private var numbers = 0
    private var values = 0
    /// What the controllers must have counted: changes that were made elsewhere and call nobody.
    private var refused = [0, 0]
    private var isRefusalKnown = [true, true]
    /// The properties that were changed elsewhere since the jobs of the main actor ran.
    private var awaited: Set<HomeProperty> = []
    private(set) var violation: String?

    init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
        station = HomeStation(downloads[0])
    }

    func run(steps: Int) async -> String? {
        for _ in 0..<steps where violation == nil { await step() }
        for view in [0, 1] where isPaused[view] { resume(view) }
        await drain()
        for view in [0, 1] where isRefusalKnown[view] {
            let counted = views[view].observations.counters.wrongIsolation
            check(counted == refused[view], "\(counted) changes elsewhere are counted, and not \(refused[view])")
        }
        return violation.map { trace.joined(separator: "\n") + "\n" + $0 }
    }

    private static func tag(_ number: Int) -> ObservationTag { ObservationTag("\(number)") }

    private func random(_ count: Int) -> Int { generator.below(count) }

    private func check(_ isTrue: Bool, _ text: @autoclosure () -> String) { if !isTrue, violation == nil { violation = text() } }

    private func step() async {
        switch random(16) {
        case 0...2: observe()
        case 3: remove()
        case 4...6: change(isElsewhere: false)
        case 7...10: change(isElsewhere: true)
        case 11: await drain()
        case 12: pauseOrResume(random(2))
        case 13: batch(isElsewhere: false)
        case 14: batch(isElsewhere: true)
        default: replaceView(random(2))
        }
    }

    // MARK: Observations

    private func observe() {
        guard observations.count < 8 else { return }
        numbers += 1
        let (number, view) = (numbers, random(2))
        let key = generator.pick(HomeKey.allCases)
        // A registration in a pause gets its first value when the pause ends, which is the first old value then.
        let form = generator.pick(isPaused[view] ? [.value, .withoutDuplicates, .change] : HomeForm.allCases)
        let present = key.value(of: station)
        trace.append("view \(view) observes \(key) \(form) as \(number), present \(present)")
        observations.append(HomeObservation(number: number, key: key, form: form, view: view, last: present))
        // Who registers for a derived key while a value is on its way home may get that value, too.
        if isPaused[view] || key.isDerived && !key.properties.isDisjoint(with: awaited) { allow(number) }
        if let keyPath = key.keyPath {
            observe(keyPath, key, form, views[view], number)
        } else if form == .change {
            views[view].observations.observe(station, \.self, options: .new, tag: Self.tag(number)) { view, _, _ in
                view.calls.append(HomeCall(number: number, old: nil, new: 0, present: 0))
            }
        } else {
            observations[observations.count - 1].form = .value
            views[view].observations.observe(station, \.self, initial: false, tag: Self.tag(number)) { view, _ in
                view.calls.append(HomeCall(number: number, old: nil, new: 0, present: 0))
            }
        }
        judge()
    }

    private func observe(_ keyPath: KeyPath<HomeStation, Int>, _ key: HomeKey, _ form: HomeForm, _ view: HomeView, _ number: Int) {
        let (station, tag) = (station, Self.tag(number))
        let note = { (view: HomeView, old: Int?, new: Int) in
            view.calls.append(HomeCall(number: number, old: old, new: new, present: key.value(of: station)))
        }
        switch form {
        case .value: view.observations.observe(station, keyPath, initial: false, tag: tag) { note($0, nil, $1) }
        case .withoutDuplicates:
            // The initial call is the one to which the filter compares.
            view.observations.observe(station, keyPath, removing: .duplicates, tag: tag) { note($0, nil, $1) }
            allow(number)
        case .onChange: view.observations.onChange(of: station, keyPath, tag: tag) { note($0, $1, $2) }
        case .change:
            view.observations.observe(station, keyPath, options: [.old, .new], tag: tag) { note($0, $2.oldValue, $2.newValue ?? -1) }
        }
    }

    private func allow(_ number: Int) {
        guard let index = observations.firstIndex(where: { $0.number == number }) else { return }
        observations[index].allowed += 1
    }

    private func remove() {
        guard !observations.isEmpty else { return }
        let observation = observations.remove(at: random(observations.count))
        trace.append("\(observation.number) is removed")
        let (controller, tag) = (views[observation.view].observations, Self.tag(observation.number))
        if let keyPath = observation.key.keyPath {
            controller.unobserve(station, keyPath, tag: tag)
        } else {
            controller.unobserve(station, \.self, tag: tag)
        }
    }

    private func replaceView(_ view: Int) {
        trace.append("view \(view) is released, and replaced")
        observations.removeAll { $0.view == view }
        check(views[view].calls.isEmpty, "calls were not judged")
        views[view] = HomeView()
        (isPaused[view], refused[view], isRefusalKnown[view]) = (false, 0, true)
    }

    private func pauseOrResume(_ view: Int) {
        if isPaused[view] { return resume(view) }
        trace.append("view \(view) pauses")
        views[view].observations.pause()
        isPaused[view] = true
    }

    private func resume(_ view: Int) {
        trace.append("view \(view) resumes")
        isPaused[view] = false
        views[view].observations.resume()
        judge()
        judgeDue("at the end of a pause") { $0.view == view && $0.key.properties.isDisjoint(with: awaited) }
    }

    // MARK: Changes

    /// Changes a property at home or elsewhere; returns it.
    private func assign(isElsewhere: Bool) -> HomeProperty {
        // The hop is not replaced elsewhere: nothing says then which download is followed until the next change at home.
        let property = generator.pick(isElsewhere ? [.name, .level, .progress] : HomeProperty.allCases)
        values += 1
        // Sometimes the value stays the same.
        let (value, station, other) = (random(4) == 0 ? values - 1 : values, station, downloads[random(3)])
        trace.append("\(property) changes \(isElsewhere ? "elsewhere" : "at home") to \(value)")
        let assign: @Sendable () -> Void = {
            switch property {
            case .name: station.name = value
            case .level: station.level = value
            case .current: station.current = other
            case .progress: station.current.progress.value = value
            }
        }
        isElsewhere ? elsewhere(assign) : assign()
        return property
    }

    private func change(isElsewhere: Bool) {
        let property = assign(isElsewhere: isElsewhere)
        note(property, isElsewhere: isElsewhere)
        judge()
        if !isElsewhere { judgeSetting([property]) }
    }

    /// Several changes in a batch of the main actor, or of the other thread.
    private func batch(isElsewhere: Bool) {
        trace.append("batch begins")
        var changed: [HomeProperty] = []
        if isElsewhere {
            let (station, count) = (station, 1 + random(3))
            let properties = (0..<count).map { _ in [HomeProperty.name, .level, .progress][random(3)] }
            values += 1
            let value = values
            trace.append("\(properties) change elsewhere to \(value)")
            elsewhere {
                withBatchedChanges {
                    for property in properties {
                        switch property {
                        case .level: station.level = value
                        case .progress: station.current.progress.value = value
                        default: station.name = value
                        }
                    }
                }
            }
            for property in properties { note(property, isElsewhere: true, isInBatch: true) }
        } else {
            withBatchedChanges {
                for _ in 0..<(1 + random(3)) {
                    let isElsewhere = random(3) == 0
                    let property = assign(isElsewhere: isElsewhere)
                    if !isElsewhere { changed.append(property) }
                    note(property, isElsewhere: isElsewhere, isInBatch: true)
                }
                for view in views { check(view.calls.isEmpty, "a handler is called inside a batch") }
            }
        }
        trace.append("batch ends")
        judge()
        judgeSetting(changed)
    }

    /// Notes for each observation what the change means to it.
    private func note(_ property: HomeProperty, isElsewhere: Bool, isInBatch: Bool = false) {
        if isElsewhere, property.isAtomic { awaited.insert(property) }
        for index in observations.indices where observations[index].key.properties.contains(property) {
            let (view, form) = (observations[index].view, observations[index].form)
            let calls = !isElsewhere || property.isAtomic && form != .change
            if calls {
                observations[index].allowed += 1
                if form != .change { observations[index].isDue = true }
            } else {
                refused[view] += 1
                // What was due may have been left out, because the value was the last one, which it is no more.
                if form == .withoutDuplicates { observations[index].isDue = false }
                // A pause and a batch leave out some of these changes.
                if isPaused[view] || isInBatch { isRefusalKnown[view] = false }
            }
        }
    }

    private func drain() async {
        trace.append("the main actor runs its jobs")
        for _ in 0..<6 { await Task.yield() }
        awaited = []
        judge()
        judgeDue("for a change that must come home") { _ in true }
    }

    // MARK: Judgement

    /// Judges the calls since the last judgement.
    private func judge() {
        for (place, view) in views.enumerated() {
            for call in view.calls {
                trace.append("  \(call.number) gets \(call.old.map { "\($0) -> " } ?? "")\(call.new)")
                judge(call, place)
            }
            view.calls = []
        }
    }

    private func judge(_ call: HomeCall, _ view: Int) {
        guard let index = observations.firstIndex(where: { $0.number == call.number }) else {
            return check(false, "\(call.number) is called after its removal")
        }
        var observation = observations[index]
        check(!isPaused[view], "\(call.number) is called in a pause")
        check(observation.allowed > 0, "\(call.number) is called without a change")
        check(call.new == call.present, "\(call.number) gets a value that is not the present one, \(call.present)")
        if observation.form == .onChange { check(call.old == observation.last, "\(call.number): the old value is not the last new one") }
        observation.last = call.new
        observation.allowed -= 1
        observation.isDue = false
        observations[index] = observation
    }

    /// Judges, after changes at home, that who could be called at once was called.
    private func judgeSetting(_ properties: [HomeProperty]) {
        judgeDue("for a change at home") { !$0.key.properties.isDisjoint(with: properties) }
        for observation in observations where observation.form == .change && !isPaused[observation.view] {
            if observation.key.properties.isDisjoint(with: properties) { continue }
            check(observation.last == observation.key.value(of: station), "\(observation.number) missed a change at home")
        }
    }

    /// Judges that those were called who could be called.
    private func judgeDue(_ reason: String, where isMeant: (HomeObservation) -> Bool) {
        for index in observations.indices {
            let observation = observations[index]
            guard observation.isDue, !isPaused[observation.view], isMeant(observation) else { continue }
            // An equal value is left out.
            let isLeftOut = observation.form == .withoutDuplicates && observation.key.value(of: station) == observation.last
            check(isLeftOut, "\(observation.number) was not called \(reason)")
            observations[index].isDue = false
        }
    }
}
