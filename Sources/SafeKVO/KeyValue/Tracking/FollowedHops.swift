/// Finds out whether a manually notified key is a component of a key path, like `b` in `\.a.b.c`, although no evaluation has read it.
///
/// Swift does not reveal the components of a key path, so this type compares descriptions. In doubt, it assumes a component, because a
/// superfluous notification does less harm than a missing one.
struct FollowedHops {
    enum Stop {
        case property(of: UInt, AnyKeyPath?)
        /// The address of an object that was the value of a property; zero if the value was nil.
        case object(UInt)
    }

    private let keyPath: AnyKeyPath
    private let text: KeyPathText
    private let subject: UInt
    /// A property that was read, with its owner's address; or an object's address, with nil in the other fields.
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

    /// Returns `true` if `key`, which no evaluation has read, is a component of the key path, or may be one.
    ///
    /// If all other components were read, their key paths are joined with the key and compared with the key path. Key paths with a `?`
    /// cannot be joined. There, a component of the key's type counts as the key, unless it is known to be a property that was read.
    func leads(through key: AnnouncedKey) -> Bool {
        if isEachRead { return false }
        let length = key.text.components.count
        var rest = reads[...]
        // The address of the object that owns the next component; nil if unknown, because the previous component was not read.
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

    private var isEachRead: Bool { !text.isOptionalChain && keyPath.isChain(of: reads.compactMap(\.keyPath)) }

    private func isEachOtherRead(_ index: Int, _ before: [AnyKeyPath], _ length: Int, _ behind: [AnyKeyPath]) -> Bool {
        guard !text.isOptionalChain, before.count == index, index + length + behind.count == text.components.count else { return false }
        return zip(before + behind, text.descriptions[..<index] + text.descriptions[(index + length)...]).allSatisfy { read, description in
            KeyPathText(read).descriptions.last == description
        }
    }

    /// Returns `true` if two different key paths certainly name different properties here.
    ///
    /// This does not hold in a generic class, or if the key starts at another class than the component.
    private func isToldByComparing(_ key: AnyKeyPath, behind last: AnyKeyPath?) -> Bool {
        let root = type(of: keyPath).rootType
        if "\(root)".contains("<") { return false }
        return last?.leadsExactly(to: key) ?? (type(of: key).rootType == root)
    }

    /// Returns `true` if `read`, a property with the name or type of the component at `index`, is that component.
    ///
    /// The last component of an optional chain may be a getter that reads another property of the same type. So its full description is
    /// compared.
    private func isRead(_ read: KeyPathText?, at index: Int) -> Bool {
        !text.isOptionalChain || index < text.components.count - 1 || read?.descriptions.last == text.descriptions[index]
    }
}
