import SafeKVO

#if TWO_MODULES
    import Models
#endif

/// A computed key depends on what its getter read last.
func computed() {
    let (amplifier, reader) = (Amplifier(), Reader())
    reader.observations.observe(amplifier, \.loudness) { _, loudness in print("  value", loudness) }
    reader.watch("change", amplifier, \.loudness, [.old, .new, .prior], tag: "change")
    print("a property that was not read")
    amplifier.volume = 2
    print("on")
    amplifier.isOn = true
    print("volume")
    amplifier.volume = 3
    print("an equal volume")
    amplifier.volume = 3
    print("off")
    amplifier.isOn = false
    print("a property that is not read any more")
    amplifier.volume = 4
}
