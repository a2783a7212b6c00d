import BenchmarkKit

// One operation is one call of a function that is not inlined, as in SafeKVO's rows.

@inline(never)
private func assign(_ value: Int, to plain: Plain) { plain.first = value }

@inline(never)
private func assignMutated(_ value: Int, to plain: Plain) { plain.fifth = value }

@inline(never)
private func read(_ plain: Plain) -> Int { plain.first }

@inline(never)
private func make() -> Plain { Plain() }

@inline(never)
func set(_ plain: Plain, passes: Int) -> Int {
    for pass in 0..<passes {
        assign(pass, to: plain)
        fence()
    }
    return plain.first
}

@inline(never)
func setInLoop(_ plain: Plain, passes: Int) -> Int {
    for pass in 0..<passes {
        plain.first = pass
        fence()
    }
    return plain.first
}

/// Sets the property that this module also mutates in place.
@inline(never)
func setMutated(_ plain: Plain, passes: Int) -> Int {
    for pass in 0..<passes {
        assignMutated(pass, to: plain)
        fence()
    }
    return plain.fifth
}

@inline(never)
func get(_ plain: Plain, passes: Int) -> Int {
    var sum = 0
    for _ in 0..<passes {
        sum &+= read(plain)
        fence()
    }
    return sum
}

@inline(never)
func getInLoop(_ plain: Plain, passes: Int) -> Int {
    var sum = 0
    for _ in 0..<passes {
        sum &+= plain.first
        fence()
    }
    return sum
}

@inline(never)
func create(passes: Int) -> Int {
    for _ in 0..<passes { consume(make()) }
    return passes
}
