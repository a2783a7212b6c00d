public import CBenchmarks

/// Makes the optimiser do what is written before this in each pass of a loop.
///
/// It costs nothing.
@inlinable
@inline(__always)
public func fence() {
    benchmarks_fence()
}

/// Uses a result.
@inline(never)
public func consume(_ value: Int) {
    benchmarks_consume(UInt(bitPattern: value))
}

/// Uses an object, so that it must really be made.
@inline(never)
public func consume(_ object: AnyObject) {
    benchmarks_consume(UInt(bitPattern: ObjectIdentifier(object)))
}

/// A number that the optimiser does not know.
@inline(never)
public func opaque(_ value: Int) -> Int {
    Int(benchmarks_opaque(Int64(value)))
}

/// Mutates a value in place, in a way that the optimiser does not know: it may access anything meanwhile.
@inline(never)
public func mutateInPlace(_ value: inout Int) {
    value = opaque(value)
}
