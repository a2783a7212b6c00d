/// What is posted under a name: the name, the object it is about, and whatever else its observers may look up.
///
/// Where you can choose, post a ``Message`` instead, whose contents the compiler knows.
public struct NamedMessage {
    /// What has happened.
    public let name: MessageName
    /// What it has happened to, or who posts it.
    public let object: AnyObject?
    /// Everything else.
    public var userInfo: [AnyHashable: Any] { payload ?? [:] }
    /// Nil rather than empty: an empty dictionary is handed about like any other.
    private let payload: [AnyHashable: Any]?

    /// Makes a message.
    ///
    /// - Parameters:
    ///   - name: What has happened.
    ///   - object: What it has happened to, or who posts it.
    ///   - userInfo: Everything else.
    public init(name: MessageName, object: AnyObject? = nil, userInfo: [AnyHashable: Any] = [:]) {
        self.name = name
        self.object = object
        payload = userInfo.isEmpty ? nil : userInfo
    }

    /// A message that says no more than its name and its object.
    init(_ name: MessageName, of object: AnyObject?) {
        self.name = name
        self.object = object
        payload = nil
    }
}
