/// Where the handlers of an observation run that are called elsewhere than where the subject changes.
package protocol DeliveryTarget: AnyObject, Sendable {
    /// Whether handlers may be called here and now.
    var isCurrent: Bool { get }

    /// Runs a job there, later.
    ///
    /// It takes no lock that a job or a handler can hold, and keeps the order of nothing: ``HopQueue`` does.
    func enqueue(_ job: @escaping @Sendable () -> Void)
}
