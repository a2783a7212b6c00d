// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What Apple's overlay adds to Foundation. Nothing here is ever run.
@_exported public import Foundation
@_exported public import ObjectiveC

private func never() -> Never { preconditionFailure("A stand-in is not run.") }

extension String: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSString { never() }
    public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout String?) { never() }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSString, result: inout String?) -> Bool { never() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> String { never() }
}

extension Dictionary: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSDictionary { never() }
    public static func _forceBridgeFromObjectiveC(_ source: NSDictionary, result: inout Dictionary?) { never() }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSDictionary, result: inout Dictionary?) -> Bool { never() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSDictionary?) -> Dictionary { never() }
}

extension Array: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSArray { never() }
    public static func _forceBridgeFromObjectiveC(_ source: NSArray, result: inout Array?) { never() }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSArray, result: inout Array?) -> Bool { never() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSArray?) -> Array { never() }
}

extension Set: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSSet { never() }
    public static func _forceBridgeFromObjectiveC(_ source: NSSet, result: inout Set?) { never() }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSSet, result: inout Set?) -> Bool { never() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSSet?) -> Set { never() }
}

extension Int: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSNumber { never() }
    public static func _forceBridgeFromObjectiveC(_ source: NSNumber, result: inout Int?) { never() }
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSNumber, result: inout Int?) -> Bool { never() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSNumber?) -> Int { never() }
}

public class NSKeyValueObservation: NSObject {
    public func invalidate() { never() }
}

public struct NSKeyValueObservedChange<Value> {
    public let kind: NSKeyValueChange
    public let newValue: Value?
    public let oldValue: Value?
    public let isPrior: Bool
}

public protocol _KeyValueCodingAndObserving {}

extension NSObject: _KeyValueCodingAndObserving {}

extension _KeyValueCodingAndObserving {
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation { never() }
}

public protocol NSLocking {
    func lock()
    func unlock()
}

extension NSLocking {
    public func withLock<R>(_ body: () throws -> R) rethrows -> R { try body() }
}

open class NSLock: NSObject, NSLocking, @unchecked Sendable {
    open func lock() { never() }
    open func unlock() { never() }
}

public typealias NSObjectProtocol = ObjectiveC.NSObjectProtocol

public struct Notification {
    public struct Name: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }
    public var name: Name
    public var object: Any?
    public var userInfo: [AnyHashable: Any]?
}

open class UserDefaults: NSObject {
    open class var standard: UserDefaults { never() }
    open func integer(forKey defaultName: String) -> Int { never() }
}

@available(*, unavailable)
extension UserDefaults: @unchecked Sendable {}

open class OperationQueue: NSObject, @unchecked Sendable {}

open class NotificationCenter: NSObject, @unchecked Sendable {
    open class var `default`: NotificationCenter { never() }
    open func addObserver(
        forName name: Notification.Name?, object: Any?, queue: OperationQueue?, using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol { never() }
    open func removeObserver(_ observer: Any) { never() }
    open func post(name: Notification.Name, object: Any?) { never() }
}
