/// Records the first evaluation of a key path, to find out whether the key path names an observed property of the root object.
///
/// For any other key path, the recorder creates a ``TrackedPath``, which follows everything that the evaluation reads.
final class KeyPathRecorder<Root: KeyValueObservable, Leaf>: AccessRecorder {
    private let root: Root
    private let keyPath: KeyPath<Root, Leaf>
    private let steps: PathSteps
    private let home: Home
    private var isFirstRead = true
    private(set) var property: Property?

    struct Property {
        let identity: UInt
        /// `true` if the root object's class inherits the property, and so may override it.
        let isInherited: Bool
        let isAtomic: Bool
        fileprivate(set) var isOnlyRead = true

        /// `true` if the key path depends on nothing but the stored property, so that it can be observed as one.
        ///
        /// A subclass may override the getter of an inherited property. So observers get what that getter returns.
        var isGetter: Bool { !isInherited || isOnlyRead }
    }
    private(set) var tracked: TrackedPath?
    /// Links the path to what is read; nil as long as nothing has been read, and while another thread has the path's turn.
    private(set) var recorder: PathRecorder?
    private var hops: [(keyPath: AnyKeyPath, property: UInt)] = []
    private static var longestChain: Int { 32 }

    init(root: Root, keyPath: KeyPath<Root, Leaf>, steps: PathSteps, home: Home) {
        self.root = root
        self.keyPath = keyPath
        self.steps = steps
        self.home = home
        super.init(Unretained(root).erased)
    }

    override func willRead<Owner: KeyValueObservable, Value>(
        _ owner: Owner, property: UInt, keyPath: () -> ReferenceWritableKeyPath<Owner, Value>, atomic: AtomicCollection<Value>?
    ) {
        if isFirstRead {
            isFirstRead = false
            // Do not use `==`: the observed key path may begin with a subclass of the declaring class.
            if owner === root, keyPath().isSpelling(of: self.keyPath) {
                self.property = Property(identity: property, isInherited: type(of: owner) != Owner.self, isAtomic: atomic != nil)
                return
            }
        }
        if self.property != nil {
            self.property?.isOnlyRead = false
            return
        }
        if hops.count <= Self.longestChain { hops.append((keyPath(), property)) }
        guard let recorder = beginFollowing() else { return }
        let record = owner.keyValueRegistrar.record(ownedBy: owner)?.word ?? 0
        if !recorder.expects(record, property) { recorder.willRead(owner, property: property, keyPath: keyPath, atomic: atomic) }
        lastRead = recorder.lastRead
    }

    override func didAccess<Owner: KeyValueObservable>(_ owner: Owner, _ keyPath: AnyKeyPath) {
        if property != nil {
            property?.isOnlyRead = false
            return
        }
        isFirstRead = false
        noteAccess()
        beginFollowing()?.didAccess(owner, keyPath)
    }

    private func beginFollowing() -> PathRecorder? {
        if tracked != nil { return recorder }
        let record = root.keyValueRegistrar.record(of: root)
        let path = TrackedPath.path(of: root, keyPath, steps, at: home, in: record)
        tracked = path
        _ = path.activate(record)
        recorder = path.takeTurn()
        return recorder
    }

    // MARK: Recognising a chain

    /// The observed properties of which the key path consists; empty if it has other components.
    ///
    /// It is not enough that each property was read from the object that the previous one returned. For example, `b` in `\.a?.b` may be a
    /// computed property that reads another one.
    var chain: [UInt] {
        guard isChained, hops.count > 1, hops.count <= Self.longestChain, keyPath.isChain(of: hops.map(\.keyPath)) else { return [] }
        return hops.map(\.property)
    }
}
