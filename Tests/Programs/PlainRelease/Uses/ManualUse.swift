import SafeKVO

#if TWO_MODULES
    import Models
#endif

/// A getter that says `access(_:)`: computed keys and key paths over it are notified.
func manual() {
    let (kitchen, reader) = (Kitchen(), Reader())
    let former = kitchen.thermometer
    reader.watch("celsius", former, \.celsius)
    reader.watch("isHot", former, \.isHot)
    reader.watch("thermometer.celsius", kitchen, \.thermometer.celsius)
    reader.watch("thermometer.isHot", kitchen, \.thermometer.isHot)
    print("heat")
    former.celsius = 30
    print("another thermometer")
    kitchen.thermometer = Thermometer()
    print("heat the former one")
    former.celsius = 40
    print("heat the present one")
    kitchen.thermometer.celsius = 50
}

/// A key that nothing reports, observed directly: each outermost notification is one change.
func manualDirect() {
    let (thermometer, reader) = (Thermometer(), Reader())
    reader.watch("offset", thermometer, \.offset, [.old, .new, .prior])
    print("adjust")
    thermometer.adjust(by: 2)
    print("adjust")
    thermometer.adjust(by: -1)
}
