import SafeKVO

#if TWO_MODULES
    import Models
#endif

/// The forms and options of a stored property.
func stored() {
    let lamp = Lamp()
    var reader: Reader? = Reader()
    reader?.observations.observe(lamp, \.brightness) { _, brightness in print("  value", brightness) }
    reader?.observations.onChange(of: lamp, \.color) { _, old, new in print("  color", old, "to", new) }
    reader?.watch("nothing", lamp, \.brightness, [], tag: "nothing")
    reader?.watch("change", lamp, \.brightness, [.old, .new, .prior, .initial], tag: "change")
    reader?.observations.observe(lamp, \.brightness, removing: .duplicates, tag: "different") { _, value in print("  different", value) }
    print("set")
    lamp.brightness = 1
    print("set an equal value")
    lamp.brightness = 1
    print("in place")
    lamp.brightness += 1
    print("another property")
    lamp.color = "red"
    print("unobserve:", reader?.observations.unobserve(lamp, \.brightness, tag: "change") ?? -1)
    lamp.brightness = 3
    print("the observer is deallocated")
    reader = nil
    lamp.brightness = 4
    lamp.color = "blue"
}
