/// A key path, component by component, with what its evaluation read: says where it leads through something that was not read.
struct FollowedHops {
    /// Something that was read.
    enum Stop {
        /// A property, and its owner.
        case property(of: UInt, AnyKeyPath?)
        /// The object that a property returned; zero if it was nil.
        case object(UInt)
    }

    /// Whether a key path leads through a key that was not read.
    enum Answer {
        case no
        /// The key may be a hop, but leads to another object now than when the path was evaluated.
        case perhaps
        case yes
    }

    private let keyPath: AnyKeyPath
    private let text: KeyPathText
    private let subject: UInt
    /// What was read, in order: the owner and the component of a property, or an object.
    private typealias Read = (owner: UInt, component: Substring?, keyPath: AnyKeyPath?)
    private let reads: [Read]

    init(of keyPath: AnyKeyPath, _ text: KeyPathText, from subject: UInt, _ stops: [Stop]) {
        self.keyPath = keyPath
        self.text = text
        self.subject = subject
        reads = stops.map { stop in
            switch stop {
            case .property(let owner, let keyPath): (owner, keyPath.flatMap { KeyPathText($0).components.last } ?? "", keyPath)
            case .object(let word): (word, nil, nil)
            }
        }
    }

    /// Whether the key path leads through a key of an object that was not read.
    ///
    /// If all other components were read, the key paths are put together and compared. What comes behind a `?` cannot be put together, and of a
    /// component that was not read only the type is known: then it is the key if the key has that type, reads what was read there, and leads to
    /// the object that was read next.
    func leads(through key: AnnouncedKey) -> Answer {
        if isEachRead { return .no }
        let components = text.components
        var answer = Answer.no
        var rest = reads[...]
        var object: UInt? = subject
        var before: [AnyKeyPath] = []
        for index in components.indices {
            let isNext = rest.first?.component == components[index]
            if object == nil, isNext { object = rest.first?.owner }
            if object == key.owner.word, components[index...].starts(with: key.text.components) {
                let behind = components[(index + key.text.components.count)...]
                if before.count == index, isMade(of: before, key.keyPath, rest.compactMap(\.keyPath).suffix(behind.count)) { return .yes }
                let isRead = isNext && rest.first?.owner == object
                // A key that reads nothing is not where a property was read; behind properties, comparing has told whether a key that reads is the last.
                let isKnown = key.evaluation.reads.isEmpty ? isRead : !text.isOptionalChain && before.count == index && behind.isEmpty
                switch isKnown ? .no : isMade(of: key, behind, rest) {
                case .yes: return .yes
                case .perhaps: answer = .perhaps
                case .no: break
                }
            }
            guard isNext else {
                object = nil
                continue
            }
            if let keyPath = rest.first?.keyPath { before.append(keyPath) }
            rest = rest.dropFirst()
            object = nil
            if let next = rest.first, next.component == nil {
                object = next.owner
                rest = rest.dropFirst()
            }
        }
        return answer
    }

    /// `true` if the key path is exactly what was read, so that nothing is hidden.
    private var isEachRead: Bool { !text.isOptionalChain && keyPath.isChain(of: reads.compactMap(\.keyPath)) }

    private func isMade(of before: [AnyKeyPath], _ key: AnyKeyPath, _ after: some Collection<AnyKeyPath>) -> Bool {
        !text.isOptionalChain && keyPath.isChain(of: before + [key] + after)
    }

    /// Whether the rest of what was read is what a key reads, and what the object that it leads to reads.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - behind: The components that would come behind it.
    ///   - rest: What was read.
    /// - Returns: `.perhaps` if it goes on at another object.
    private func isMade(of key: AnnouncedKey, _ behind: ArraySlice<Substring>, _ rest: ArraySlice<Read>) -> Answer {
        var rest = rest
        for read in key.evaluation.reads {
            guard let next = rest.first, next.owner == read.owner, next.keyPath?.isSpelling(of: read.keyPath) ?? false else { return .no }
            rest = rest.dropFirst()
            if let next = rest.first, next.component == nil { rest = rest.dropFirst() }
        }
        guard let component = behind.first else { return rest.isEmpty ? .yes : .no }
        // What comes next was not read either, as far as can be seen.
        guard let next = rest.first else { return .yes }
        if next.owner == key.evaluation.object { return .yes }
        return next.component == component || behind.count == 1 ? .perhaps : .yes
    }
}
