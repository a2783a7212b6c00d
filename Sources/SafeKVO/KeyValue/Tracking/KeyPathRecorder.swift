/// Records the first evaluation of a key path, to find out whether the key path names an observed property of the root object.
///
/// For any other key path, the recorder creates a ``TrackedPath``, which follows everything that the evaluation reads.
final class KeyPathRecorder<Root: KeyValueObservable, Leaf>: AccessRecorder {
    private let root: Root
    private let keyPath: KeyPath<Root, Leaf>
    private let steps: PathSteps
    private var isFirstRead = true
    private(set) var property: Property?

    struct Property {
        let identity: UInt
        /// `true` if the root object's class inherits the property, and so may override it.
        let isInherited: Bool
        fileprivate(set) var isOnlyRead = true
        fileprivate let isStored: (Leaf) -> Bool

        /// Returns `true` if the key path can be observed as a stored property, because no subclass seems to override the getter.
        ///
        /// For an inherited property, the evaluation must have read nothing else, and its result, `value`, must equal the stored value.
        func isGetter(of value: Leaf) -> Bool { !isInherited || isOnlyRead && isStored(value) }
    }
    private(set) var tracked: TrackedPath?
    private(set) var recorder: DependencyRecorder?
    private var hops: [(keyPath: AnyKeyPath, property: UInt)] = []
    private var isLastStored: (Any) -> Bool = { _ in true }
    /// Retains the objects that the evaluation used, so that their addresses stay valid.
    private var objects: [AnyObject] = []
    /// `true` if an object on the key path may have come from a collection, or from a getter that called `access(_:)`.
    ///
    /// The replacement of such an object may be reported by a change of the collection, or of the key passed to `access(_:)`. So there is
    /// no warning about missed replacements (``gap``).
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
            // Do not use `==`: the observed key path may begin with a subclass of the declaring class.
            if owner === root, keyPath().isSpelling(of: self.keyPath) {
                self.property = Property(identity: property, isInherited: type(of: owner) != Owner.self) { value in
                    // Compare the property's bytes with `value`, the getter's result, to find out whether a subclass overrides the
                    // getter. For an `@AtomicObserved` property (`storage` is not nil), another thread may be writing the bytes. Then
                    // assume that they are equal.
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
        if !isBeingDestroyed(owner) { keep(owner) }
        recorder.willRead(owner, property: property, keyPath: keyPath, storage: storage)
    }

    override func didReturn(_ object: (any KeyValueObservable)?, isNil: Bool, mayHoldObjects: Bool) {
        guard let recorder else { return }
        if let object, !isBeingDestroyed(object) { keep(object) }
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

    private func beginFollowing(_ owner: UInt?) -> DependencyRecorder {
        if let recorder { return recorder }
        followsObjects = true
        withLog { $0.notes = if let owner { [(owner, 0)] } else { [] } }
        let record = root.keyValueRegistrar.record(of: root)
        let path = TrackedPath.path(of: root, keyPath, steps, in: record)
        tracked = path
        let made = path.begin(activating: record, isThorough: true)
        recorder = made
        return made
    }

    // MARK: Recognising a chain

    /// Finds the components of the key path from what its first evaluation read; `value` is the result of the evaluation.
    ///
    /// Returns an empty chain unless every component is known to be an observed property or a constant (`let`).
    func chain(of value: Leaf) -> DependencyTable.Chain {
        guard hops.count > 0, hops.count <= Self.longestChain else { return DependencyTable.Chain() }
        if isChained, hops.count > 1, keyPath.isChain(of: hops.map(\.keyPath)) {
            return DependencyTable.Chain(properties: hops.map(\.property), isWhole: true)
        }
        // Each property was read from the object that the previous one returned, but these properties may not be the key path's components.
        // For example, `b` in `\.a?.b` may be a computed property that reads another one. So return an empty chain, which means that the
        // components are unknown.
        if isChained { return DependencyTable.Chain() }
        // The key path may end with a computed property that reads an observed one. Then the value that was read last usually differs from
        // the value of the key path, and it is unknown which properties its components are.
        guard let chain = chainOverConstants, isLastStored(value) else { return DependencyTable.Chain() }
        return chain
    }

    private var chainOverConstants: DependencyTable.Chain? {
        guard !isChained, let notes = withLog({ $0.notes }), notes.count == hops.count else { return nil }
        let text = KeyPathText(keyPath)
        guard !text.isOptionalChain, text.components.count > hops.count else { return nil }
        var chain = DependencyTable.Chain(hasConstants: true, isWhole: true)
        var constants: [UInt] = []
        var object = Unretained(root).word
        // Look each constant up in the class that the key path names, because a subclass may have another field of the same name.
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

    private func constant(
        _ name: Substring, of type: AnyClass, in object: UInt
    ) -> (field: ReferenceField, object: AnyObject)? {
        let fields = ReferenceField.fields(of: type).filter { $0.name == name }
        guard let owner = kept(object), fields.count == 1, let field = fields.first else { return nil }
        return field.constant(in: owner).map { (field, $0) }
    }

    // MARK: Gaps

    /// The first property whose owner may be replaced without a notification, for a warning; nil if none is known.
    ///
    /// Neither an observed property nor a constant (`let`) holds the owner. So nothing reports when another object takes the owner's place.
    var gap: AnyKeyPath? {
        guard !isChained, !mayLeadAnywhere, let notes = withLog({ $0.notes }) else { return nil }
        let returned = Set(notes.map(\.value)).union([Unretained(root).word])
        guard zip(hops, notes).contains(where: { !returned.contains($1.owner) }) else { return nil }
        let components = KeyPathText(keyPath).components
        // No warning is needed for a property whose owner is held by a constant (`let`), because such an owner cannot be replaced. So
        // return nil if a component of the key path may be a constant of an object that the evaluation used.
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

    /// Adds the addresses of `object` and of the objects to which its constants (`let`) lead.
    private func know(_ object: AnyObject, _ known: inout Set<UInt>) {
        var open = [object]
        while let next = open.popLast(), known.count < Self.mostKnown {
            if !known.insert(Unretained(next).word).inserted { continue }
            keep(next)
            open += ReferenceField.fields(of: type(of: next)).compactMap { $0.constant(in: next) }
        }
    }

    private func isInVariable(_ object: UInt, _ known: Set<UInt>) -> Bool {
        known.contains { word in
            guard let owner = kept(word) else { return false }
            return ReferenceField.fields(of: type(of: owner)).contains { $0.word(in: owner) == object }
        }
    }
}

@usableFromInline
enum Bits {
    /// Returns `true` if two values have the same bytes; copies of one value may differ in padding.
    @inlinable
    static func areSame<Value>(_ first: Value, _ second: Value) -> Bool {
        // SAFETY: the bytes belong to the two arguments and are used only during the call.
        unsafe withUnsafeBytes(of: first) { first in
            unsafe withUnsafeBytes(of: second) { second in unsafe first.elementsEqual(second) }
        }
    }

    /// Returns `true` if `value` has the same bytes as the stored property at the offset `property` in `owner`.
    static func areSame<Value>(_ property: UInt, _ size: Int, of owner: AnyObject, _ value: Value) -> Bool {
        guard size > 0, size == MemoryLayout<Value>.size else { return size == MemoryLayout<Value>.size }
        // SAFETY: the object stores a property of this size at the offset, and its getter has just read the property on this thread.
        return withExtendedLifetime(owner) {
            let start = Unretained(owner).word &+ property
            let stored = unsafe UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: start), count: size)
            return unsafe withUnsafeBytes(of: value) { unsafe stored.elementsEqual($0) }
        }
    }
}
