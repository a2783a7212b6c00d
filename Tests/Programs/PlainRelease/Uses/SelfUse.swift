import SafeKVO

#if TWO_MODULES
    import Models
#endif

/// `\.self` is notified of each change of the object, once, after the observers of the key, through either class.
func entireObject() {
    let (circle, reader) = (Circle(), Reader())
    reader.watch("self", circle, \.self, [])
    print("observed already:", reader.observations.observe(circle as Shape, \.self, options: []) { _, _, _ in } == .alreadyObserved)
    reader.watch("radius", circle, \.radius)
    print("radius")
    circle.radius = 2
    print("color")
    circle.color = "blue"
    print("unobserve:", reader.observations.unobserve(circle, \.self))
    circle.color = "green"
}
