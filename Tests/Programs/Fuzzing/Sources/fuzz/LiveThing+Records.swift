import SafeKVO

extension LiveThing {
    /// The numbers that the suite gets from inside the package.
    var records: (observers: Int, dependencies: Int) {
        let all = ObservationDiagnostics.observations(of: self, includingDependencies: true)
        let own = all.count { $0.observer == nil }
        return (all.count - own, own)
    }
}
