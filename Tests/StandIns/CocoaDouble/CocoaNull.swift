/// `NSNull`: a nil in a collection.
public final class CocoaNull: Sendable {
    package static let null = CocoaNull()

    private init() {}
}
