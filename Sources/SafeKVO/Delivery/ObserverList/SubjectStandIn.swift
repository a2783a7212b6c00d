/// A *stand-in*: an object that represents an observed object whose class cannot store a registrar.
package protocol SubjectStandIn: AnyObject {
    /// The observed object, or `nil` if that object is being deallocated.
    var object: AnyObject? { get }
}
