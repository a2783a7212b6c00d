import SafeKVO
import SafeKVOTesting
import Testing

/// Properties that are assigned the values of others.
@Suite struct BindingTests {
    final class Model: KeyValueObject {
        @Observed var volume: Double
        @Observed var part: Model?
        var doubled: Double { volume * 2 }
        init(_ volume: Double) { self.volume = volume }
    }
    /// Its setter clamps.
    final class Slider: KeyValueObject {
        @Observed private var stored: Double
        let range: ClosedRange<Double>
        var position: Double {
            get { stored }
            set { stored = min(max(newValue, range.lowerBound), range.upperBound) }
        }
        init(_ position: Double, in range: ClosedRange<Double> = -1_000...1_000) {
            stored = position
            self.range = range
        }
    }
    final class Meter {
        var shown = -1.0 {
            didSet { assignments += 1 }
        }
        var assignments = 0
    }
    final class Observer {}

    let observer = Observer()
    let log = EventLog<String>()

    /// Writes down every change of a model and of a slider.
    private func listen(_ model: Model, _ slider: Slider) -> ObservationController<Observer> {
        let observations = ObservationController(observer: observer)
        observations.observe(model, \.volume, options: .new) { [log] _, model, _ in log.append("volume \(model.volume)") }
        observations.observe(slider, \.position, options: .new) { [log] _, slider, _ in log.append("position \(slider.position)") }
        return observations
    }

    // MARK: One way

    @Test("A binding assigns the present value at once, then each new one, and none that is there already")
    func aBindingAssigns() {
        let (model, meter) = (Model(1), Meter())
        let token = bind(model, \.volume, to: meter, \.shown)
        #expect(meter.shown == 1 && meter.assignments == 1)
        model.volume = 2
        model.volume = 2
        #expect(meter.shown == 2 && meter.assignments == 2)
        meter.shown = 9
        #expect(model.volume == 2)
        token.cancel()
        model.volume = 3
        #expect(meter.shown == 9)
    }

    @Test("A binding that leaves out the present value waits for the next one")
    func aBindingMayWait() {
        let (model, meter) = (Model(1), Meter())
        let token = bind(model, \.volume, to: meter, \.shown, initial: false)
        #expect(meter.assignments == 0)
        model.volume = 2
        #expect(meter.shown == 2)
        withExtendedLifetime(token) {}
    }

    @Test("The source may be a computed value, a path, or a property of the target itself")
    func theSourceMayBeAnyKeyPath() {
        let (model, meter) = (Model(1), Meter())
        model.part = Model(5)
        let tokens = [bind(model, \.doubled, to: meter, \.shown), bind(model, \.part!.volume, to: model, \.volume)]
        #expect(model.volume == 5 && meter.shown == 10)
        model.part = Model(6)
        #expect(model.volume == 6 && meter.shown == 12)
        withExtendedLifetime(tokens) {}
    }

    @Test("A binding ends with its token, and retains neither object")
    func aBindingRetainsNothing() throws {
        let tracker = LifetimeTracker()
        let kept = Model(1)
        do {
            let (model, meter) = (tracker.track(Model(1)), tracker.track(Meter()))
            let tokens = [bind(model, \.volume, to: meter, \.shown), bind(model, \.volume, with: kept, \.volume)]
            model.volume = 2
            #expect(kept.volume == 2 && meter.shown == 2)
            tokens.forEach { tracker.track($0) }
        }
        try tracker.expectAllGone()
        try expectNoObservations(on: kept)
        var token: ObservationToken?
        do {
            let (source, target) = (tracker.track(Model(1)), tracker.track(Meter()))
            token = bind(source, \.volume, to: target, \.shown)
        }
        try tracker.expectAllGone()
        do {
            let meter = tracker.track(Meter())
            token = bind(kept, \.volume, to: meter, \.shown)
        }
        try tracker.expectAllGone()
        kept.volume = 7
        withExtendedLifetime(token) {}
    }

    @Test("A binding with a closure assigns what the closure makes of each value, unless it is there already")
    func aBindingConverts() throws {
        final class Label {
            var text = "" { didSet { texts.append(text) } }
            var texts: [String] = []
        }
        let (model, tracker) = (Model(1), LifetimeTracker())
        var label: Label? = tracker.track(Label())
        let whole = try bind(model, \.volume, to: #require(label), \.text) { "\(Int($0)) dB" }
        let later = try bind(model, \.part?.volume, to: #require(label), \.text, initial: false) { [log] part in
            log.append("converted")
            return "\(part ?? 0)"
        }
        model.volume = 1.5
        model.volume = 2
        model.part = Model(3)
        #expect(label?.texts == ["1 dB", "2 dB", "3.0"])
        try log.expect(["converted"])
        whole.cancel()
        model.volume = 9
        #expect(label?.text == "3.0")
        label = nil
        try tracker.expectAllGone()
        model.part = nil
        later.cancel()
    }

    // MARK: Both ways

    @Test("Of two properties that are bound, the side that is named wins at the start", arguments: [BindingSide.first, .second])
    func theNamedSideWins(side: BindingSide) throws {
        let (model, slider) = (Model(1), Slider(2))
        let observations = listen(model, slider)
        let token = bind(model, \.volume, with: slider, \.position, startingWith: side)
        try log.expect([side == .first ? "position 1.0" : "volume 2.0"])
        model.volume = 3
        slider.position = 4
        slider.position = 4
        try log.expect(["volume 3.0", "position 3.0", "position 4.0", "volume 4.0", "position 4.0"])
        #expect(model.volume == 4 && slider.position == 4)
        token.cancel()
        model.volume = 5
        slider.position = 6
        #expect(model.volume == 5 && slider.position == 6)
        withExtendedLifetime(observations) {}
    }

    @Test("What a setter makes of a value is taken over by the other side once, and then it is quiet")
    func whatASetterMakesIsTakenOverOnce() throws {
        let (model, slider) = (Model(1), Slider(0, in: 0...10))
        let observations = listen(model, slider)
        let token = bind(model, \.volume, with: slider, \.position)
        try log.expect(["position 1.0"])
        model.volume = 99
        try log.expect(["volume 99.0", "position 10.0", "volume 10.0"])
        slider.position = -5
        try log.expect(["position 0.0", "volume 0.0"])
        #expect(model.volume == 0 && slider.position == 0)
        withExtendedLifetime((token, observations)) {}
    }

    @Test("The value that wins at the start is clamped, and taken over in turn")
    func theFirstValueIsClamped() {
        let (model, slider) = (Model(99), Slider(0, in: 0...10))
        let token = bind(model, \.volume, with: slider, \.position)
        #expect(model.volume == 10 && slider.position == 10)
        withExtendedLifetime(token) {}
    }

    @Test("Two setters that never agree keep a value each, and so do values that equal nothing")
    func settersThatNeverAgree() throws {
        let (low, high) = (Slider(0, in: 0...5), Slider(10, in: 10...15))
        let token = bind(low, \.position, with: high, \.position, startingWith: .second)
        low.position = 3
        high.position = 12
        #expect(low.position <= 5 && high.position >= 10)
        let (model, other) = (Model(1), Model(1))
        let second = bind(model, \.volume, with: other, \.volume)
        model.volume = .nan
        #expect(model.volume.isNaN && other.volume.isNaN)
        model.volume = 4
        #expect(other.volume == 4)
        withExtendedLifetime((token, second)) {}
    }

    @Test("An observer that changes the property again before the binding hears of it is heard as well")
    func aNestedChangeIsHeard() {
        let (model, slider) = (Model(1), Slider(1))
        let observations = ObservationController(observer: observer)
        observations.observe(model, \.volume, options: .new) { _, model, _ in
            if model.volume == 5 { model.volume = 6 }
        }
        let token = bind(model, \.volume, with: slider, \.position)
        model.volume = 5
        #expect(model.volume == 6 && slider.position == 6)
        slider.position = 5
        #expect(model.volume == slider.position)
        withExtendedLifetime((token, observations)) {}
    }

    final class Pair: KeyValueObject {
        @Observed var a: [Int] = []
        @Observed var b: [Int] = []
    }

    @Test("Properties that are bound may be swapped, and changed in place by each other")
    func boundPropertiesMayBeOpen() {
        let (left, right) = (Pair(), Pair())
        let token = bind(left, \.a, with: right, \.a)
        left.a = [1]
        swap(&left.a, &right.a)
        #expect(left.a == right.a)
        left.a.removeAll { _ in
            right.a = [2]
            return false
        }
        #expect(left.a == right.a)
        let own = bind(left, \.a, with: left, \.b)
        swap(&left.a, &left.b)
        #expect(left.a == left.b && left.a == right.a)
        withExtendedLifetime((token, own)) {}
    }

    @Test("A value for a property that is observed and open in place is left out by a binding in one direction")
    func anOpenTargetIsLeftAlone() {
        let (source, target, observer) = (Pair(), Pair(), Observer())
        let observations = ObservationController(observer: observer)
        observations.observe(target, \.b) { _, _ in }
        let token = bind(source, \.a, to: target, \.b)
        target.b = [1, 2]
        target.b.removeAll { number in
            source.a = [7]
            return number == 1
        }
        #expect(target.b == [2])
        source.a = [8]
        #expect(target.b == [8])
        withExtendedLifetime((token, observations)) {}
    }

    @Test("Both sides may be one object, and one property")
    func bothSidesMayBeOneObject() {
        let model = Model(1)
        model.part = Model(2)
        let tokens = [
            bind(model, \.volume, with: model, \.volume), bind(model, \.volume, with: model, \.part!.volume),
        ]
        model.part?.volume = 7
        #expect(model.volume == 7)
        model.part = Model(8)
        #expect(model.volume == 8)
        withExtendedLifetime(tokens) {}
    }
}
