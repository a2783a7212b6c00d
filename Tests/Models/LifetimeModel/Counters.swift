/// What a controller has counted.
package struct Counters: Equatable, Sendable {
    package var delivered = 0
    package var dropped = 0
    package var ignoredAdds = 0
    package var ignoredRemoves = 0

    package init(delivered: Int = 0, dropped: Int = 0, ignoredAdds: Int = 0, ignoredRemoves: Int = 0) {
        self.delivered = delivered
        self.dropped = dropped
        self.ignoredAdds = ignoredAdds
        self.ignoredRemoves = ignoredRemoves
    }
}
