import BenchmarkKit
import SafeKVO

@inline(never)
func set(_ model: Model, passes: Int) -> Int {
    for pass in 0..<passes {
        model.first = pass
        fence()
    }
    return passes
}

@inline(never)
func setAndRead(_ model: Model, _ keyPath: KeyPath<Model, Int>, passes: Int) -> Int {
    var sum = 0
    for pass in 0..<passes {
        model.first = pass
        sum &+= model[keyPath: keyPath]
        fence()
    }
    return sum
}

@inline(never)
func setEqual(_ model: Model, passes: Int) -> Int {
    for _ in 0..<passes {
        model.first = 1
        fence()
    }
    return passes
}

@inline(never)
func get(_ model: Model, passes: Int) -> Int {
    var sum = 0
    for _ in 0..<passes {
        sum &+= model.first
        fence()
    }
    return sum
}

@inline(never)
func create(passes: Int) -> Int {
    for _ in 0..<passes { consume(Model()) }
    return passes
}

/// Adds in one place and removes in another, as programs do: key paths written in two places are two objects, though equal.
@inline(never)
func addAndRemove(_ model: Model, _ observing: Observing, passes: Int) -> Int {
    let step = opaque(1)
    var removed = 0
    for _ in 0..<passes {
        observing.add(model, step)
        removed &+= observing.remove(model)
    }
    return removed
}
