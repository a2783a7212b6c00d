/// The handler of an info that follows a dependency.
///
/// It keeps the dependent while the info lives; the dependent ends the info when nobody observes it any more, which breaks the ring.
final class DependencyContext: HandlerContext {
    private let dependent: any Dependent
    /// Whether another info hears of the change itself.
    private let onlyPrior: Bool

    init(_ dependent: any Dependent, onlyPrior: Bool) {
        self.onlyPrior = onlyPrior
        self.dependent = dependent
        super.init()
    }

    static let invoke: @Sendable (HandlerContext, ObservationInfo, AnyObject, EventPointer) -> Bool = { context, info, _, event in
        guard let context = context as? DependencyContext else { return false }
        // SAFETY: the header is the first thing in every event of a key path, whatever the type of the value.
        let header = unsafe event.assumingType(KeyValueEventHeader.self).pointee
        // What the library found to have changed the dependent follows at its source.
        if info.flags.contains(.onlyByHand), !header.isByHand { return false }
        switch header.phase {
        case .prior: context.dependent.sourceWillChange(info, event)
        case .after where context.onlyPrior: return false
        case .after, .initial: context.dependent.sourceDidChange(info, event)
        }
        return true
    }
}
