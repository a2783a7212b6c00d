/// A property wrapper with the same subscripts as `Observed` and `AtomicObserved`, which notes how the compiler calls them.
@propertyWrapper
struct Probed<Value> {
    var value: Value

    init(wrappedValue: Value) { value = wrappedValue }

    @available(*, unavailable)
    var wrappedValue: Value {
        get { fatalError("wrappedValue") }
        set { fatalError("wrappedValue") }
    }

    @available(*, unavailable)
    var projectedValue: String { fatalError("projectedValue") }

    #if SAFEKVO_PLAIN_KEY_PATHS
        static subscript<Owner: Probing>(
            _enclosingInstance owner: Owner,
            wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
            storage storage: ReferenceWritableKeyPath<Owner, Probed<Value>>
        ) -> Value {
            get { self[of: owner, { wrapped }, { storage }] }
            set { self[of: owner, { wrapped }, { storage }] = newValue }
            _modify { yield &self[of: owner, { wrapped }, { storage }] }
        }

        static subscript<Owner: Probing>(
            _enclosingInstance owner: Owner,
            projected projected: KeyPath<Owner, String>,
            storage storage: ReferenceWritableKeyPath<Owner, Probed<Value>>
        ) -> String {
            projection(of: owner, { projected }, { storage })
        }
    #else
        static subscript<Owner: Probing>(
            _enclosingInstance owner: Owner,
            wrapped wrapped: @autoclosure () -> ReferenceWritableKeyPath<Owner, Value>,
            storage storage: @autoclosure () -> ReferenceWritableKeyPath<Owner, Probed<Value>>
        ) -> Value {
            get { self[of: owner, wrapped, storage] }
            set { self[of: owner, wrapped, storage] = newValue }
            _modify { yield &self[of: owner, wrapped, storage] }
        }

        static subscript<Owner: Probing>(
            _enclosingInstance owner: Owner,
            projected projected: @autoclosure () -> KeyPath<Owner, String>,
            storage storage: @escaping @autoclosure () -> ReferenceWritableKeyPath<Owner, Probed<Value>>
        ) -> String {
            projection(of: owner, projected, storage)
        }
    #endif

    private static subscript<Owner: Probing>(
        of owner: Owner,
        wrapped: () -> ReferenceWritableKeyPath<Owner, Value>,
        storage: () -> ReferenceWritableKeyPath<Owner, Probed<Value>>
    ) -> Value {
        get {
            owner.probe.note("get", wrapped, storage)
            return owner[keyPath: storage()].value
        }
        set {
            owner.probe.note("set", wrapped, storage)
            owner.probe.place = place(in: owner, storage)
            owner[keyPath: storage()].value = newValue
        }
        _modify {
            owner.probe.note("modify", wrapped, storage)
            owner.probe.place = place(in: owner, storage)
            yield &owner[keyPath: storage()].value
            owner.probe.note("end of modify", wrapped, storage)
        }
    }

    private static func projection<Owner: Probing>(
        of owner: Owner, _ projected: () -> KeyPath<Owner, String>,
        _ storage: @escaping () -> ReferenceWritableKeyPath<Owner, Probed<Value>>
    ) -> String {
        owner.probe.note("projected", projected, storage)
        owner.probe.later = { AnyHashable(storage()) }
        return "projected"
    }

    /// Returns the address of the stored value, as the setter of `Observed` does.
    static func place<Owner: AnyObject>(in owner: Owner, _ storage: () -> ReferenceWritableKeyPath<Owner, Probed<Value>>) -> UInt {
        // SAFETY: this takes only the address of the property.
        unsafe withUnsafeMutablePointer(to: &owner[keyPath: storage()].value) { UInt(bitPattern: $0) }
    }
}

/// The calls of the subscripts of one object's properties.
final class Probe {
    private(set) var calls: [String] = []
    private(set) var wrapped: AnyKeyPath?
    private(set) var storage: AnyKeyPath?
    /// The address of the property that was written last.
    var place: UInt = 0
    var later: () -> AnyHashable = { 0 }
    var formsKeyPaths = true

    func note(_ call: String, _ wrapped: () -> AnyKeyPath, _ storage: () -> AnyKeyPath) {
        calls.append(call)
        if formsKeyPaths { (self.wrapped, self.storage) = (wrapped(), storage()) }
    }

    func takeCalls() -> [String] {
        defer { calls = [] }
        return calls
    }
}

protocol Probing: AnyObject {
    var probe: Probe { get }
}

class Song: Probing {
    let probe = Probe()
    @Probed var title = "Air"
    @Probed var seconds = 90
    @Probed var tags: [String] = []
    @Probed final var rating: Int? { didSet { ratings += 1 } }
    private(set) var ratings = 0
    static var titleStorage: ReferenceWritableKeyPath<Song, Probed<String>> { \Song._title }
    static var ratingStorage: ReferenceWritableKeyPath<Song, Probed<Int?>> { \Song._rating }
}

final class LiveSong: Song {
    @Probed var place = "Leipzig"
    override var seconds: Int { didSet {} }
    static var placeStorage: ReferenceWritableKeyPath<LiveSong, Probed<String>> { \LiveSong._place }
}

class Shelf<Item>: Probing {
    let probe = Probe()
    @Probed var items: [Item] = []
    @Probed var last: Item
    static var lastStorage: ReferenceWritableKeyPath<Shelf, Probed<Item>> { \Shelf._last }

    init(_ last: Item) { self.last = last }
}

final class SongShelf<Mark>: Shelf<Song> {
    @Probed var mark: Mark
    static var markStorage: ReferenceWritableKeyPath<SongShelf, Probed<Mark>> { \SongShelf._mark }

    init(_ mark: Mark) {
        self.mark = mark
        super.init(Song())
    }
}
