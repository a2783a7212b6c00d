/// An observer that receives messages of one type by a method of its own.
///
/// ```swift
/// extension Library: MessageObserver {
///     func receive(_ message: CoverWanted) { load(message.title) }
/// }
///
/// observations.observe(center, receiving: CoverWanted.self)
/// ```
///
/// An observer of several types has a method for each, and names it: `action: Library.coverIsWanted(_:)`.
public protocol MessageObserver<ReceivedMessage>: AnyObject {
    /// What it receives.
    associatedtype ReceivedMessage: Message

    /// Called for each message.
    ///
    /// - Parameter message: The message.
    func receive(_ message: ReceivedMessage)
}
