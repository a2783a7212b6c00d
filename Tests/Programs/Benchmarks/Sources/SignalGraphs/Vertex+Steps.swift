extension Place<VertexFields> {
    /// Notes that whoever runs has read this.
    func wasRead(_ owner: AnyObject) {
        guard let reader = Reactor.shared.reader, self.readBy != reader.run else { return }
        self.readBy = reader.run
        let cursor = reader.cursor
        let next = if let cursor { cursor.nextSource } else { reader.firstSource }
        if let next, next.source == self {
            reader.cursor = next
            return
        }
        let edge = Edge(EdgeFields(source: self, reader: reader, owner: owner, nextSource: next, previousReader: self.lastReader))
        if let cursor { cursor.nextSource = edge } else { reader.firstSource = edge }
        if let last = self.lastReader { last.nextReader = edge } else { self.firstReader = edge }
        self.lastReader = edge
        reader.cursor = edge
    }

    /// Push: those who read this are dirty, and those behind them doubtful.
    func markReaders(_ state: VertexFields.State) {
        var next = self.firstReader
        while let edge = next {
            next = edge.nextReader
            let reader = edge.reader
            let old = reader.state
            if old.rawValue < state.rawValue { reader.state = state }
            guard old == .clean else { continue }
            if reader.isEffect { Reactor.shared.add(reader) } else { reader.markReaders(.doubtful) }
        }
    }

    /// Pull: computes what has to be computed, and nothing that depends on equal values only.
    func refresh() {
        if self.state == .doubtful {
            var next = self.firstSource
            while let edge = next, self.state == .doubtful {
                edge.source.refresh()
                next = edge.nextSource
            }
            if self.state == .doubtful { self.state = .clean }
        }
        if self.state == .dirty { runAgain() }
    }

    private func runAgain() {
        guard let computation = self.computation else { return }
        let outer = Reactor.shared.reader
        Reactor.shared.reader = self
        Reactor.shared.runs += 1
        self.run = Reactor.shared.runs
        self.cursor = nil
        let hasChanged = self.isEffect ? computation.runRetained() : computation.run()
        Reactor.shared.reader = outer
        dropSources(after: self.cursor)
        self.state = .clean
        guard hasChanged else { return }
        var next = self.firstReader
        while let edge = next {
            edge.reader.state = .dirty
            next = edge.nextReader
        }
    }

    /// Forgets what was read before, but not in the present run.
    private func dropSources(after cursor: Edge?) {
        var next: Edge?
        if let cursor {
            next = cursor.nextSource
            cursor.nextSource = nil
        } else {
            next = self.firstSource
            self.firstSource = nil
        }
        while let edge = next {
            next = edge.nextSource
            let source = edge.source
            let (before, after) = (edge.previousReader, edge.nextReader)
            if let before { before.nextReader = after } else { source.firstReader = after }
            if let after { after.previousReader = before } else { source.lastReader = before }
            edge.free()
        }
    }

    /// Ends it: nobody reads it any more.
    func end() {
        if self.isEffect { Reactor.shared.remove(self) }
        dropSources(after: nil)
        free()
    }
}
