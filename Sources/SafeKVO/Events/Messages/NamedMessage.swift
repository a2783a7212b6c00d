/// A message with a name, an object that it concerns, and a dictionary of further information.
///
/// If you can choose, post a ``Message`` instead. The compiler checks the contents of a ``Message``.
public struct NamedMessage {
    /// The name of the message.
    public let name: MessageName
    /// The object that the message concerns, or that posts it.
    public let object: AnyObject?
    /// Further information for the observers.
    public var userInfo: [AnyHashable: Any] { payload ?? [:] }
    /// The dictionary, or `nil` if it is empty, because copying `nil` costs less than copying an empty dictionary.
    private let payload: [AnyHashable: Any]?

    /// Makes a message.
    ///
    /// - Parameters:
    ///   - name: The name of the message.
    ///   - object: The object that the message concerns, or that posts it.
    ///   - userInfo: Further information for the observers.
    public init(name: MessageName, object: AnyObject? = nil, userInfo: [AnyHashable: Any] = [:]) {
        self.name = name
        self.object = object
        payload = userInfo.isEmpty ? nil : userInfo
    }

    init(_ name: MessageName, of object: AnyObject?) {
        self.name = name
        self.object = object
        payload = nil
    }
}
