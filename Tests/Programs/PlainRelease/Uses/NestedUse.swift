import SafeKVO

#if TWO_MODULES
    import Models
#endif

/// A key path over an object that is replaced.
func nested() {
    let (person, reader) = (Person(), Reader())
    let former = person.home
    reader.observations.observe(person, \.home.street) { _, street in print("  value", street) }
    reader.watch("change", person, \.home.street, [.old, .new, .prior], tag: "change")
    print("the end")
    former.street = "Oak Lane"
    print("another object")
    person.home = Address("Ash Road")
    print("the former object")
    former.street = "Fir Alley"
    print("the present object")
    person.home.street = "Yew Court"
}

/// A key path over an optional: a nil object is present-nil, once optional.
func optionalChain() {
    let (person, reader) = (Person(), Reader())
    reader.observations.observe(person, \.office?.street) { _, street in print("  value", street ?? "nil") }
    reader.watch("change", person, \.office?.street, [.old, .new], tag: "change")
    print("an object")
    person.office = Address("Ash Road")
    print("the end")
    person.office?.street = "Yew Court"
    print("nil")
    person.office = nil
}
