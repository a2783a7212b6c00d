// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What Apple's overlay adds to the Objective-C runtime. Nothing here is ever run.
@_exported public import ObjectiveC

public struct Selector: ExpressibleByStringLiteral, Hashable, @unchecked Sendable {
    var pointer: OpaquePointer?

    public init(_ name: String) { pointer = nil }

    public init(stringLiteral value: String) { self.init(value) }
}

public struct ObjCBool: ExpressibleByBooleanLiteral {
    public var boolValue: Bool

    public init(_ value: Bool) { boolValue = value }

    public init(booleanLiteral value: Bool) { self.init(value) }
}

extension NSObject: Equatable, Hashable {
    public static func == (left: NSObject, right: NSObject) -> Bool { left.isEqual(right) }

    public func hash(into hasher: inout Hasher) { hasher.combine(self.hash) }
}

public func autoreleasepool<Result, Failure: Error>(invoking body: () throws(Failure) -> Result) throws(Failure) -> Result { try body() }
