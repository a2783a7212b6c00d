import SafeKVO

extension LiveThing {
    var records: (observers: Int, dependencies: Int) { observationRecords }
}
