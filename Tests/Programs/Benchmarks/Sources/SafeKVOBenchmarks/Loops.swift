import BenchmarkKit
import SafeKVO

// One operation is one call of a function that is not inlined, as in a program. In a loop, the compiler checks once for all passes that
// nobody else accesses the property.

@inline(never)
func assign(_ value: Int, to model: Model) { model.first = value }

@inline(never)
private func assign(_ value: Model, to model: WeakModel) { model.other = value }

@inline(never)
private func assign(_ value: Int, to heir: Heir) { heir.first = value }

@inline(never)
private func assign(_ value: Int, to pair: Pair<Int>) { pair.first = value }

@inline(never)
private func read(_ model: Model) -> Int { model.first }

@inline(never)
private func read(_ model: Model, _ keyPath: KeyPath<Model, Int>) -> Int { model[keyPath: keyPath] }

@inline(never)
private func assignMutated(_ value: Int, to model: Model) { model.fifth = value }

@inline(never)
func make() -> Model { Model() }

@inline(never)
private func assign(_ value: Parent, to parent: Parent) { parent.next = value }

@inline(never)
func set(_ model: Model, passes: Int) -> Int {
    for pass in 0..<passes {
        assign(pass, to: model)
        fence()
    }
    return passes
}

@inline(never)
func set(_ model: WeakModel, to other: Model, passes: Int) -> Int {
    for _ in 0..<passes {
        assign(other, to: model)
        fence()
    }
    return passes
}

@inline(never)
func set(_ heir: Heir, passes: Int) -> Int {
    for pass in 0..<passes {
        assign(pass, to: heir)
        fence()
    }
    return passes
}

@inline(never)
func set(_ pair: Pair<Int>, passes: Int) -> Int {
    for pass in 0..<passes {
        assign(pass, to: pair)
        fence()
    }
    return passes
}

@inline(never)
func setInLoop(_ model: Model, passes: Int) -> Int {
    for pass in 0..<passes {
        model.first = pass
        fence()
    }
    return passes
}

@inline(never)
func changeInPlace(_ model: Model, passes: Int) -> Int {
    for _ in 0..<passes {
        model.mutateInPlace()
        fence()
    }
    return passes
}

/// Sets the property that this module also mutates in place.
@inline(never)
func setMutated(_ model: Model, passes: Int) -> Int {
    for pass in 0..<passes {
        assignMutated(pass, to: model)
        fence()
    }
    return passes
}

@inline(never)
func setAndRead(_ model: Model, _ keyPath: KeyPath<Model, Int>, passes: Int) -> Int {
    var sum = 0
    for pass in 0..<passes {
        assign(pass, to: model)
        sum &+= read(model, keyPath)
        fence()
    }
    return sum
}

@inline(never)
func setEqual(_ model: Model, passes: Int) -> Int {
    for _ in 0..<passes {
        assign(1, to: model)
        fence()
    }
    return passes
}

@inline(never)
func setNext(_ parent: Parent, to others: [Parent], passes: Int) {
    for pass in 0..<passes { assign(others[pass & 1], to: parent) }
}

@inline(never)
func get(_ model: Model, passes: Int) -> Int {
    var sum = 0
    for _ in 0..<passes {
        sum &+= read(model)
        fence()
    }
    return sum
}

@inline(never)
func getInLoop(_ model: Model, passes: Int) -> Int {
    var sum = 0
    for _ in 0..<passes {
        sum &+= model.first
        fence()
    }
    return sum
}

@inline(never)
func create(passes: Int) -> Int {
    for _ in 0..<passes { consume(make()) }
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
