/// A subject that stands for another object, one that cannot hold a registrar.
protocol SubjectStandIn: AnyObject {
    /// The object, unless it is being destroyed.
    var object: AnyObject? { get }
}
