#if SAFEKVO_PLAIN_LIST

    typealias ObserverChain = PlainChain
    typealias DeliveryPins = PlainPins
    typealias Limbo = PlainLimbo

#else

    typealias ObserverChain = LinkedChain
    typealias DeliveryPins = EpochPins
    typealias Limbo = EpochLimbo

#endif
