/// The list of a topic that somebody has looked up, usable as long as this is there and the record is pinned.
struct FoundTopic {
    // SAFETY: a list that is taken out of the index stays until the last pinned delivery has passed; where pins keep nothing, `keeper` does.
    let list: Unretained<ObserverList>

    #if SAFEKVO_PLAIN_LIST
        private let keeper: ObserverList

        init(kept list: ObserverList) {
            self.list = Unretained(list)
            keeper = list
        }
    #else
        init(pinned list: Unretained<ObserverList>) { self.list = list }
    #endif
}
