import BenchmarkKit

@inline(never)
func set(_ plain: Plain, passes: Int) -> Int {
    for pass in 0..<passes {
        plain.first = pass
        fence()
    }
    return plain.first
}

@inline(never)
func get(_ plain: Plain, passes: Int) -> Int {
    var sum = 0
    for _ in 0..<passes {
        sum &+= plain.first
        fence()
    }
    return sum
}

@inline(never)
func set(_ subject: ClosureSubject, passes: Int) -> Int {
    for pass in 0..<passes {
        subject.value = pass
        fence()
    }
    return subject.value
}

@inline(never)
func set(_ subject: WeakSubject, passes: Int) -> Int {
    for pass in 0..<passes {
        subject.value = pass
        fence()
    }
    return subject.value
}

@inline(never)
func set(_ subject: LockedSubject, passes: Int) -> Int {
    for pass in 0..<passes {
        subject.value = pass
        fence()
    }
    return subject.value
}

@inline(never)
func create(passes: Int) -> Int {
    for _ in 0..<passes { consume(Plain()) }
    return passes
}
