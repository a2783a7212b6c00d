import SafeKVO

#if TWO_MODULES
    import Models
#endif

private final class Letter: Document {
    private var address = "nobody"
    func send(to address: String) { withChange(of: \.recipient) { self.address = address } }
    var recipient: String { address }
    override class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
        let known = super.keyPathsForValuesAffectingValue(for: key)
        return key == \Letter.header ? known.union([\Letter.recipient]) : known
    }
}

/// Declared dependencies add to those that the getter reports, also in a subclass of another module.
func declared() {
    let (letter, reader) = (Letter(), Reader())
    reader.watch("header", letter, \.header)
    reader.watch("version", letter, \.version)
    print("write")
    letter.write()
    print("send")
    letter.send(to: "somebody")
    print("rename")
    letter.title = "Letter"
    print("version")
    letter.version = 2
}
