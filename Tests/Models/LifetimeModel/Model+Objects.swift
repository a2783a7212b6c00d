extension Model {
    /// An object is made and takes a place.
    package func make(place: Int) -> Int {
        count(.make)
        things.append(Thing(rank: place))
        if let old = places[place] { letGo(ofThing: old) }
        places[place] = things.count - 1
        return things.count - 1
    }

    /// A place is emptied.
    package func release(place: Int) -> Bool {
        guard let thing = places[place] else { return false }
        count(.release)
        places[place] = nil
        letGo(ofThing: thing)
        return true
    }

    /// A controller is made and takes a slot.
    package func makeController(slot: Int, observer place: Int, retaining: Bool) -> Bool {
        guard let observer = places[place] else { return false }
        count(.makeController)
        controllers.append(ControllerState(observer: observer, retaining: retaining, isAutomatic: false, references: 1))
        let made = controllers.count - 1
        if let old = slots[slot] { letGo(ofController: old) }
        slots[slot] = made
        return true
    }

    /// A slot is emptied.
    package func releaseController(slot: Int) -> Bool {
        guard let controller = slots[slot] else { return false }
        count(.releaseController)
        slots[slot] = nil
        letGo(ofController: controller)
        return true
    }

    private func letGo(ofController controller: Int) {
        note("c") { $0.controller == controller }
        releaseController(controller)
    }

    /// An object's `deinit` has begun.
    package func died(_ thing: Int) {
        if things[thing].references > 0, let frame = frames.last { release(by: frame) }
        check(!things[thing].isDead, "object \(thing) died twice")
        check(things[thing].references == 0, "object \(thing) died although it is referred to")
        things[thing].isDead = true
        if let next = things[thing].next { release(next) }
        things[thing].next = nil
        // What its observer or controller, going before it or with it, has not come to yet.
        for index in watches.indices where !watches[index].wasToldEnd {
            let isWithController = watches[index].endedWithController
            if watches[index].subject == thing, isWithController || watches[index].mayEndFor == [.observerDeinitialized] {
                watches[index].mayEndFor?.append(.objectDeinitialized)
            }
            if watches[index].observer == thing, isWithController { watches[index].mayEndFor?.append(.observerDeinitialized) }
        }
        let automatic = things[thing].automatic.compactMap { $0 }
        for controller in automatic { letGo(controller) }
        for watch in active {
            let isByItself = automatic.contains(watches[watch].controller)
            let isOfItself = watches[watch].subject == thing
            if isByItself || isOfItself {
                end(watch, (isByItself ? [.observerDeinitialized] : []) + (isOfItself ? [.objectDeinitialized] : []))
            }
        }
    }

    /// Does what comes at the end of what is under way: it may have held the last reference.
    private func release(by frame: Frame) {
        switch frame.sort {
        case .change(_, .next): if !frame.isMade { make(frame) }
        case .endOfBatch: letGo(of: frame)
        default: break
        }
    }
}
