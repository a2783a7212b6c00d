/// A key path, component by component, with what its evaluation read: says whether it leads through a key that was not read.
///
/// No getter is evaluated for this. Where it cannot be decided, the key counts as a hop: a call too many is better than one that is missing.
struct FollowedHops {
    /// Something that was read.
    enum Stop {
        /// A property, and its owner.
        case property(of: UInt, AnyKeyPath?)
        /// The object that a property returned; zero if it was nil.
        case object(UInt)
    }

    private let keyPath: AnyKeyPath
    private let text: KeyPathText
    private let subject: UInt
    /// What was read, in order: the owner and the component of a property, or an object.
    private typealias Read = (owner: UInt, text: KeyPathText?, keyPath: AnyKeyPath?)
    private let reads: [Read]

    init(of keyPath: AnyKeyPath, _ text: KeyPathText, from subject: UInt, _ stops: [Stop]) {
        self.keyPath = keyPath
        self.text = text
        self.subject = subject
        reads = stops.map { stop in
            switch stop {
            case .property(let owner, let keyPath): (owner, keyPath.map { KeyPathText($0) } ?? .none, keyPath)
            case .object(let word): (word, nil, nil)
            }
        }
    }

    /// Whether the key path leads through a key of an object that was not read.
    ///
    /// If all other components were read, the key paths are put together and compared. What comes behind a `?` cannot be put together; then it is the
    /// key if it has its type, unless a property was read there.
    func leads(through key: AnnouncedKey) -> Bool {
        if isEachRead { return false }
        let length = key.text.components.count
        var rest = reads[...]
        // Where the key path has come: an object; nil behind what was not read.
        var object: UInt? = subject
        var before: [AnyKeyPath] = []
        for index in text.components.indices {
            let isNext = rest.first?.text?.components.last == text.components[index]
            if object == nil, isNext { object = rest.first?.owner }
            let isHere = object.map { $0 == key.owner.word } ?? rest.contains { $0.owner == key.owner.word }
            if isHere, text.has(key.text, at: index) {
                let after = text.components.count - index - length
                let behind = rest.compactMap(\.keyPath)
                if before.count == index, !text.isOptionalChain, keyPath.isChain(of: before + [key.keyPath] + behind.suffix(after)) {
                    return true
                }
                if text.descriptions[index...].starts(with: key.text.descriptions) { return true }
                let isRead = isNext && rest.first?.owner == object && isRead(rest.first?.text, at: index)
                if !isRead, !(isEachOtherRead(index, before, length, behind) && isToldByComparing(key.keyPath, behind: before.last)) {
                    return true
                }
            }
            guard isNext else {
                object = nil
                continue
            }
            if let keyPath = rest.first?.keyPath { before.append(keyPath) }
            rest = rest.dropFirst()
            object = nil
            if let next = rest.first, next.keyPath == nil, next.text == nil {
                object = next.owner
                rest = rest.dropFirst()
            }
        }
        return false
    }

    /// `true` if the key path is exactly what was read, so that nothing is hidden.
    private var isEachRead: Bool { !text.isOptionalChain && keyPath.isChain(of: reads.compactMap(\.keyPath)) }

    /// `true` if all components but those of a key are what was read.
    private func isEachOtherRead(_ index: Int, _ before: [AnyKeyPath], _ length: Int, _ behind: [AnyKeyPath]) -> Bool {
        guard !text.isOptionalChain, before.count == index, index + length + behind.count == text.components.count else { return false }
        return zip(before + behind, text.descriptions[..<index] + text.descriptions[(index + length)...]).allSatisfy { read, description in
            KeyPathText(read).descriptions.last == description
        }
    }

    /// `true` if a key is spelled as it would be in the key path.
    ///
    /// An override, and what fulfils a requirement in a generic class, is the same key in another spelling.
    private func isToldByComparing(_ key: AnyKeyPath, behind last: AnyKeyPath?) -> Bool {
        let root = type(of: keyPath).rootType
        if "\(root)".contains("<") { return false }
        return last?.leadsExactly(to: key) ?? (type(of: key).rootType == root)
    }

    /// `true` if a component is the property of its type that was read there.
    ///
    /// Of the last component behind a `?` that cannot be known: its getter may read a property of its type.
    private func isRead(_ read: KeyPathText?, at index: Int) -> Bool {
        !text.isOptionalChain || index < text.components.count - 1 || read?.descriptions.last == text.descriptions[index]
    }
}
