#if SAFEKVO_PLAIN_LIST

    typealias TopicIndex = PlainTopicIndex

#else

    typealias TopicIndex = LinkedTopicIndex

#endif
