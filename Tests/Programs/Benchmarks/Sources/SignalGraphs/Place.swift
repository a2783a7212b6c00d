/// Fields at an address that stays: copying it retains nothing.
@dynamicMemberLookup
@safe
struct Place<Fields>: Equatable {
    // SAFETY: (of this file) whoever makes a place frees it once, when no other place refers to it any more.
    private let address: UnsafeMutablePointer<Fields>

    init(_ fields: Fields) {
        unsafe address = .allocate(capacity: 1)
        unsafe address.initialize(to: fields)
    }

    func free() {
        unsafe address.deinitialize(count: 1)
        unsafe address.deallocate()
    }

    static func == (left: Place, right: Place) -> Bool { unsafe left.address == right.address }

    subscript<Value>(dynamicMember path: WritableKeyPath<Fields, Value>) -> Value {
        @inline(__always) get { unsafe address.pointee[keyPath: path] }
        @inline(__always) nonmutating set { unsafe address.pointee[keyPath: path] = newValue }
    }
}
