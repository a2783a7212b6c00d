import SafeKVO

#if TWO_MODULES
    import Models
#endif

/// Overrides the getter: what observers get is what it returns.
private final class Clarinet: Instrument {
    override var pitch: Int {
        get { super.pitch + tuning }
        set { super.pitch = newValue - tuning }
    }
}

/// Overrides an accessor that returns what is stored.
private final class Lute: Instrument {
    override var strings: [String] {
        get { super.strings }
        set {
            print("  setter", newValue)
            super.strings = newValue
        }
    }
}

/// A property of a superclass, through the key path of either class.
func inherited() {
    let (violin, reader) = (Violin(), Reader())
    reader.watch("pitch", violin, \Violin.pitch)
    print("observed already:", reader.observations.observe(violin as Instrument, \.pitch, options: []) { _, _, _ in } == .alreadyObserved)
    reader.watch("strings", violin, \.strings)
    print("set")
    violin.pitch = 442
    print("append")
    violin.mutableArrayValue(for: \Violin.strings).append("a")
    print("remove")
    _ = (violin as Instrument).mutableArrayValue(for: \.strings).remove(at: 0)
    print("unobserve the superclass's key path:", reader.observations.unobserve(violin as Instrument, \.pitch))
    violin.pitch = 440
}

/// A property that a subclass of another module overrides.
func overridden() {
    let (clarinet, reader) = (Clarinet(), Reader())
    reader.watch("pitch", clarinet, \.pitch)
    print("set")
    clarinet.pitch = 442
    print("what the override reads besides")
    clarinet.tuning = 10
    print("set")
    clarinet.pitch = 460
}

/// An edit of elements assigns through the setter of the subclass, and keeps kind and indexes.
func overriddenCollection() {
    let (lute, reader) = (Lute(), Reader())
    reader.watch("strings", lute, \.strings)
    print("append")
    lute.mutableArrayValue(for: \.strings).append("a")
    print("remove")
    _ = lute.mutableArrayValue(for: \.strings).remove(at: 0)
    print("assign")
    lute.strings = ["d", "g"]
}
