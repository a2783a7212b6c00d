/// `NSKeyValueChangeKey`.
public enum CocoaChangeKey: Hashable, Sendable {
    case kind, new, old, indexes, notificationIsPrior
}
