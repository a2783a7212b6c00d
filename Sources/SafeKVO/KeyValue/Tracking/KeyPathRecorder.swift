/// Evaluates a key path for the first time and finds out what it is.
///
/// If the first thing that its evaluation reads is an observed property of the root, by that very key path, it is that property. If not, what
/// it reads is followed from the first read on.
final class KeyPathRecorder<Root: KeyValueObservable, Leaf>: AccessRecorder {
    private let root: Root
    private let keyPath: KeyPath<Root, Leaf>
    private let steps: PathSteps
    private var isFirstRead = true
    /// The property, if that is what the key path seems to be.
    private(set) var property: Property?

    /// A stored property of the root that the key path names, and that its evaluation read first.
    struct Property {
        let identity: UInt
        /// `true` if another class than the root's declares it, so that what was evaluated may be an override.
        let isInherited: Bool
        /// `true` if nothing else was read.
        fileprivate(set) var isOnlyRead = true
        /// Compares a value with the stored one, bit by bit.
        fileprivate let isStored: (Leaf) -> Bool

        /// `true` if an evaluation of the key path that returned a value gives no sign of an override.
        func isGetter(of value: Leaf) -> Bool { !isInherited || isOnlyRead && isStored(value) }
    }
    private(set) var tracked: TrackedPath?
    private(set) var recorder: DependencyRecorder?
    /// What was read: the hops of a chain, if the key path is one.
    private var hops: [(keyPath: AnyKeyPath, property: UInt)] = []
    /// Compares a value with the stored one of the property that was read last, bit by bit.
    private var isLastStored: (Any) -> Bool = { _ in true }
    /// The objects that were met, besides the root, kept until the key path is examined.
    private var objects: [AnyObject] = []
    /// `true` if something was read that may lead to any object.
    private var mayLeadAnywhere = false
    private static var longestChain: Int { 32 }

    init(root: Root, keyPath: KeyPath<Root, Leaf>, steps: PathSteps) {
        self.root = root
        self.keyPath = keyPath
        self.steps = steps
        super.init(Unretained(root).erased)
    }

    override func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, storage: AnyKeyPath?
    ) {
        if isFirstRead {
            isFirstRead = false
            // As written in the class that declares it or in a subclass.
            if owner === root, keyPath().isSpelling(of: self.keyPath) {
                self.property = Property(identity: property, isInherited: type(of: owner) != Owner.self) { value in
                    // What other threads may write cannot be compared.
                    storage != nil || Bits.areSame(property, MemoryLayout<Value>.size, of: owner, value)
                }
                return
            }
        }
        if self.property != nil {
            self.property?.isOnlyRead = false
            return
        }
        if hops.count <= Self.longestChain { hops.append((keyPath(), property)) }
        isLastStored = { value in
            storage != nil || (value as? Value).map { Bits.areSame(property, MemoryLayout<Value>.size, of: owner, $0) } ?? false
        }
        let recorder = beginFollowing(Unretained(owner).word)
        if unsafe !Unretained(owner).isBeingDestroyed { keep(owner) }
        recorder.willRead(owner, property: property, keyPath: keyPath, storage: storage)
    }

    override func didReturn(_ object: (any KeyValueObservable)?, isNil: Bool, mayHoldObjects: Bool) {
        guard let recorder else { return }
        if let object, unsafe !Unretained(object as AnyObject).isBeingDestroyed { keep(object) }
        if object == nil, mayHoldObjects { mayLeadAnywhere = true }
        recorder.didReturn(object, isNil: isNil, mayHoldObjects: mayHoldObjects)
    }

    override func didAccess<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath) {
        if property != nil {
            property?.isOnlyRead = false
            return
        }
        isFirstRead = false
        noteAccess()
        mayLeadAnywhere = true
        beginFollowing(nil).didAccess(owner, keyPath)
    }

    private func keep(_ object: AnyObject) {
        if object !== root, objects.last !== object { objects.append(object) }
    }

    private func kept(_ word: UInt) -> AnyObject? {
        Unretained(root).word == word ? root : objects.first { Unretained($0).word == word }
    }

    /// What follows the reads of a key path that is no property.
    ///
    /// - Parameter owner: The object of which the first property is read, if it is a property.
    /// - Returns: the recorder that follows them.
    private func beginFollowing(_ owner: UInt?) -> DependencyRecorder {
        if let recorder { return recorder }
        followsObjects = true
        unsafe notes = if let owner { [(owner, 0)] } else { [] }
        let record = root.keyValueRegistrar.record(of: root)
        let path = TrackedPath.path(of: root, keyPath, steps, in: record)
        tracked = path
        let made = path.begin(activating: record, isThorough: true)
        recorder = made
        return made
    }

    // MARK: What the key path is

    /// Finds out what the key path is, if what was read are exactly its hops, and all else on the way is constant.
    ///
    /// - Parameter value: What the evaluation returned.
    /// - Returns: the chain; an empty one if it is none.
    func chain(of value: Leaf) -> DependencyTable.Chain {
        guard hops.count > 0, hops.count <= Self.longestChain else { return DependencyTable.Chain() }
        if isChained, hops.count > 1, keyPath.isChain(of: hops.map(\.keyPath)) {
            return DependencyTable.Chain(properties: hops.map(\.property), isWhole: true)
        }
        // Of a chain with a `?`, too: that its last property is the one that was read cannot be told.
        if isChained { return DependencyTable.Chain() }
        // A getter that returned something else than the stored value is not the property.
        guard let chain = chainOverConstants, isLastStored(value) else { return DependencyTable.Chain() }
        return chain
    }

    private var chainOverConstants: DependencyTable.Chain? {
        guard !isChained, let notes = unsafe notes, notes.count == hops.count else { return nil }
        let text = KeyPathText(keyPath)
        guard !text.isOptionalChain, text.components.count > hops.count else { return nil }
        var chain = DependencyTable.Chain(hasConstants: true, isWhole: true)
        var constants: [UInt] = []
        var object = Unretained(root).word
        // A field is that of the class that the key path names: a subclass may have another of the same name.
        var type: AnyClass? = Root.self
        for component in text.components {
            let index = chain.properties.count
            if index < hops.count, notes[index].owner == object, KeyPathText(hops[index].keyPath).components == [component] {
                chain.properties.append(hops[index].property)
                chain.constants.append(constants)
                constants = []
                object = notes[index].value
                type = ReferenceField.reference(Swift.type(of: hops[index].keyPath).valueType)
            } else {
                guard let declared = type, let next = constant(component, of: declared, in: object) else { return nil }
                constants.append(next.field.offset)
                object = Unretained(next.object).word
                type = next.field.type
                keep(next.object)
            }
        }
        return chain.properties.count == hops.count && constants.isEmpty ? chain : nil
    }

    /// Finds the object that a constant of an object holds.
    private func constant(
        _ name: Substring, of type: AnyClass, in object: UInt
    ) -> (field: ReferenceField, object: AnyObject)? {
        let fields = ReferenceField.fields(of: type).filter { $0.name == name }
        guard let owner = kept(object), fields.count == 1, let field = fields.first, field.isConstant else { return nil }
        // SAFETY: the owner is kept, and keeps what its constant holds.
        return Unretained<AnyObject>(word: field.word(in: owner)).map { (field, unsafe $0.object) }
    }

    // MARK: Gaps

    /// The first property that was read of an object of which it is not known how the key path leads there; nil if there is none.
    ///
    /// What leads there may be replaced without anybody hearing of it. Constants are not, and what is found in collections, or by a getter that
    /// says what it reads, is followed there.
    var gap: AnyKeyPath? {
        guard !isChained, !mayLeadAnywhere, let notes = unsafe notes else { return nil }
        let returned = Set(notes.map(\.value)).union([Unretained(root).word])
        guard zip(hops, notes).contains(where: { !returned.contains($1.owner) }) else { return nil }
        let components = KeyPathText(keyPath).components
        // What a constant of another type leads to cannot be replaced either.
        if ([root] + objects).contains(where: { object in
            components.dropLast().contains { ReferenceField.hasConstant($0, in: type(of: object)) }
        }) {
            return nil
        }
        let isPath = components.count > 1
        var known: Set<UInt> = []
        know(root, &known)
        for (hop, note) in zip(hops, notes) {
            if !known.contains(note.owner), isPath || isInVariable(note.owner, known) { return hop.keyPath }
            for word in [note.owner, note.value] { if let object = kept(word) { know(object, &known) } }
        }
        return nil
    }

    private static var mostKnown: Int { 64 }

    /// Adds an object and what its constants lead to.
    private func know(_ object: AnyObject, _ known: inout Set<UInt>) {
        var open = [object]
        while let next = open.popLast(), known.count < Self.mostKnown {
            if !known.insert(Unretained(next).word).inserted { continue }
            keep(next)
            for field in ReferenceField.fields(of: type(of: next)) where field.isConstant {
                // SAFETY: the owner is kept, and keeps what its constant holds.
                if let held = Unretained<AnyObject>(word: field.word(in: next)).map({ unsafe $0.object }) { open.append(held) }
            }
        }
    }

    /// Looks for an object in the variables of objects that are known.
    private func isInVariable(_ object: UInt, _ known: Set<UInt>) -> Bool {
        known.contains { word in
            guard let owner = kept(word) else { return false }
            return ReferenceField.fields(of: type(of: owner)).contains { $0.word(in: owner) == object }
        }
    }
}

/// Compares values of any type by their memory.
enum Bits {
    /// `true` if two values have the same bytes.
    ///
    /// The copy of a value has the bytes of the original, so that different bytes mean that a value was computed. Padding may differ by chance.
    static func areSame<Value>(_ first: Value, _ second: Value) -> Bool {
        // SAFETY: the bytes are those of the two values, during the call only.
        unsafe withUnsafeBytes(of: first) { first in
            unsafe withUnsafeBytes(of: second) { second in unsafe first.elementsEqual(second) }
        }
    }

    /// `true` if a stored property has the bytes of a value.
    ///
    /// - Parameters:
    ///   - property: The offset of the property in its object. For a property without a size it may be any number.
    ///   - size: The size of the property.
    ///   - owner: The object.
    ///   - value: The value.
    static func areSame<Value>(_ property: UInt, _ size: Int, of owner: AnyObject, _ value: Value) -> Bool {
        guard size > 0, size == MemoryLayout<Value>.size else { return size == MemoryLayout<Value>.size }
        // SAFETY: the object has a property of that size at this offset, and the thread has just read it through its getter. If a change of
        // it in place is under way, the bytes are those of the moment.
        return withExtendedLifetime(owner) {
            let start = unsafe Unmanaged.passUnretained(owner).toOpaque() + Int(bitPattern: property)
            let stored = unsafe UnsafeRawBufferPointer(start: start, count: size)
            return unsafe withUnsafeBytes(of: value) { unsafe stored.elementsEqual($0) }
        }
    }
}
