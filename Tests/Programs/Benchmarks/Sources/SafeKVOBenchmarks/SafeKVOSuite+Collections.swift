import BenchmarkKit
import SafeKVO

extension SafeKVOSuite {
    /// Edits of collections through their proxies.
    static var collections: [Benchmark] {
        [1000, 1_000_000].map { count in
            .loop("append + remove the last through the proxy, \(count) elements") {
                let (list, observing) = observedList(count: count)
                let items = list.mutableArrayValue(for: \.items)
                return { passes in
                    for pass in 0..<passes {
                        items.append(pass)
                        items.removeLast()
                    }
                    return observing.view.sum
                }
            }
        } + [
            editingInherited("append + remove the last through the proxy, inherited property, 1000 elements", of: Heir()),
            editingInherited(
                "append + remove the last through the proxy, inherited property by its superclass, 1000 elements", of: Heir() as Ancestor),
            .loop("replace an element through the proxy, 1000 elements") {
                let (list, observing) = observedList(count: 1000)
                let items = list.mutableArrayValue(for: \.items)
                return { passes in
                    for pass in 0..<passes { items[500] = pass }
                    return observing.view.sum
                }
            },
            .loop("insert + remove a member through the proxy, 1000 members") {
                let (list, observing) = observedList(count: 1000)
                let members = list.mutableSetValue(for: \.members)
                return { passes in
                    for _ in 0..<passes {
                        members.insert(1000)
                        members.remove(1000)
                    }
                    return observing.view.sum
                }
            },
        ]
    }

    /// The key path's root is the static type of the object: the subclass, or the class that declares the property.
    private static func editingInherited<Root: Ancestor>(_ name: String, of object: @autoclosure @escaping () -> Root) -> Benchmark {
        .loop(name) {
            let (object, observing, step) = (object(), Observing(), opaque(1))
            observing.controller.observe(object, \.items, options: .new) { view, _, change in
                if let new = change.newValue?.first { view.sum &+= new &* step }
            }
            let items = object.mutableArrayValue(for: \.items)
            return { passes in
                for pass in 0..<passes {
                    items.append(pass)
                    items.removeLast()
                }
                return observing.view.sum
            }
        }
    }

    private static func observedList(count: Int) -> (List, Observing) {
        let (list, observing, step) = (List(count: count), Observing(), opaque(1))
        observing.controller.observe(list, \.items, options: .new) { view, _, change in
            if let new = change.newValue?.first { view.sum &+= new &* step }
        }
        observing.controller.observe(list, \.members, options: .new) { view, _, change in
            if let new = change.newValue?.first { view.sum &+= new &* step }
        }
        return (list, observing)
    }
}
