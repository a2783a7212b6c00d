// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import SafeKVO

open class Document: KeyValueObject {
    @Observed public var title = "Document"
    private var lines = 0
    public var summary: String { "\(title), \(lines) lines" }
    public var header: String { "# \(summary)" }
    @Observed public var version = 1
    public func write() { withChange(of: \.summary) { lines += 1 } }

    open override class func keyPathsForValuesAffectingValue(for key: ObservedKeyPath) -> Set<AnyKeyPath> {
        switch key {
        case \Document.header: [\Document.summary]
        case \Document.version: [\Document.title]
        default: super.keyPathsForValuesAffectingValue(for: key)
        }
    }
}
