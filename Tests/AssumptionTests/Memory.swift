import CSafeKVO

/// The accesses to memory that the tests have in common.
enum Memory {
    static func address(of object: AnyObject) -> UInt { UInt(bitPattern: ObjectIdentifier(object)) }

    static func instanceSize(of type: AnyClass) -> Int {
        // SAFETY: a class reference is the address of the class's metadata. That is an assumption, which `instanceSize` tests.
        unsafe Int(safekvo_instance_size(unsafeBitCast(type, to: UnsafeRawPointer.self)))
    }

    static func contains(_ place: UInt, in object: AnyObject) -> Bool {
        let start = address(of: object)
        return place > start && place < start + UInt(instanceSize(of: type(of: object)))
    }

    /// Asks the runtime for an access to a place, as `StoredProperty` does; returns `true` unless the runtime ends the process.
    static func beginAccess(_ place: UInt, isChange: Bool) -> Bool {
        guard let place = unsafe UnsafeMutableRawPointer(bitPattern: place) else { return false }
        var access = safekvo_access()
        // SAFETY: with the flags 0 and 1, the runtime only checks, and records no access that must be ended.
        unsafe swift_beginAccess(place, &access, isChange ? 1 : 0, nil)
        return true
    }

    /// Accesses a property while it is being changed in place, so that the runtime ends the process.
    static func accessDuringChange(isChange: Bool) {
        @inline(never)
        func change(_ tags: inout [String], _ body: () -> Void) { body() }
        let song = Song()
        song.tags = []
        let place = song.probe.place
        change(&song.tags) { _ = beginAccess(place, isChange: isChange) }
    }

    /// Returns the address of an array's first element.
    static func elements<Element>(of array: [Element]) -> UInt {
        unsafe array.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }

    /// Measures the offset of a property on a blank object, as `PropertyAccess` does.
    static func blankOffset<Owner: AnyObject>(in owner: Owner, _ address: (Owner) -> UInt) -> UInt {
        // SAFETY: as in `instanceSize(of:)`. The blank object is used only by `address`, which reads and writes no property.
        let type = unsafe unsafeBitCast(type(of: owner), to: UnsafeRawPointer.self)
        return unsafe withUnsafeTemporaryAllocation(byteCount: safekvo_instance_size(type), alignment: 16) { memory in
            guard let start = memory.baseAddress else { return 0 }
            let blank = unsafe Unmanaged<Owner>.fromOpaque(swift_initStackObject(type, start))
            return unsafe blank._withUnsafeGuaranteedRef { address($0) &- UInt(bitPattern: start) }
        }
    }

    /// Returns the first word of a value that has at least the size of a word.
    static func word<Value>(of value: Value) -> UInt {
        // SAFETY: the word is only compared.
        unsafe withUnsafeBytes(of: value) { unsafe $0.loadUnaligned(as: UInt.self) }
    }

    static func propertyName(of type: AnyClass, at offset: UInt) -> String? {
        // SAFETY: `safekvo_property_name` writes at most `count` bytes, and a final zero byte if it returns true.
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            let type = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
            guard let name = buffer.baseAddress, unsafe safekvo_property_name(type, offset, name, buffer.count) else { return nil }
            return unsafe String(cString: name)
        }
    }
}
