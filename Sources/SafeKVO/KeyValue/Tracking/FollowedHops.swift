/// Finds out whether a key path leads through a manually notified key, as `\.a.b.c` leads through `b`.
///
/// Swift does not reveal the components of a key path, so this type compares descriptions. In doubt, the answer is yes, because a
/// superfluous notification does less harm than a missing one.
struct FollowedHops {
    enum Stop {
        case property(of: UInt, AnyKeyPath?)
        /// The address of an object that a property returned; zero for nil.
        case object(UInt)
    }

    private let keyPath: AnyKeyPath
    private let text: KeyPathText
    private let subject: UInt
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

    /// Returns `true` if `key` may be a component of the key path, so that a manual notification of `key` concerns the key path.
    ///
    /// Evaluations do not record reads of a property without `@Observed`. So this function compares the description of `key` with the
    /// descriptions of the components.
    func leads(through key: AnnouncedKey) -> Bool {
        if isEachRead { return false }
        let length = key.text.components.count
        var rest = reads[...]
        // The loop matches each component of the key path with the recorded reads. `object` is the address of the component's owner, or nil
        // if unknown.
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

    /// Returns `true` if a comparison of key paths is enough to find out whether `key` is the component after `last`.
    ///
    /// In a generic class, for example, the result is `false`, because unequal key paths may name the same property.
    private func isToldByComparing(_ key: AnyKeyPath, behind last: AnyKeyPath?) -> Bool {
        let root = type(of: keyPath).rootType
        if "\(root)".contains("<") { return false }
        return last?.leadsExactly(to: key) ?? (type(of: key).rootType == root)
    }

    /// Returns `true` if the component at `index` certainly is the recorded property `read`.
    ///
    /// The caller compares only the types of computed properties. At the end of an optional chain such as `\.a?.b`, `b` may be a computed
    /// property whose getter reads a recorded property of the same type. So in that place, the full descriptions must be equal.
    private func isRead(_ read: KeyPathText?, at index: Int) -> Bool {
        !text.isOptionalChain || index < text.components.count - 1 || read?.descriptions.last == text.descriptions[index]
    }
}
