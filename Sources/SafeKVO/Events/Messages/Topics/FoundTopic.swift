/// The list of a topic that somebody has looked up, usable as long as this is there and the record is pinned.
struct FoundTopic {
    // SAFETY: a list that is taken out of the index stays until the last pinned delivery has passed; where pins keep nothing, `keeper` does.
    let list: Unretained<TopicList>

    #if SAFEKVO_PLAIN_LIST
        private let keeper: TopicList

        init(kept list: TopicList) {
            self.list = Unretained(list)
            keeper = list
        }
    #else
        init(pinned list: Unretained<TopicList>) { self.list = list }
    #endif
}
