/// Ways in which a model can be wrong, to show that a comparison with it notices.
package enum Flaw: String, CaseIterable, Sendable {
    case oldValueIsReadLate
    case duplicatesAreKept
    case filteredPriorIsKept
    case kindIsLost
    case kindIsKeptBehindTheCollection
    case indexesAreLost
    case elementsAreToldWhole
    case valueFormGetsElements
    case insertionTellsOld
    case removedObserverIsCalled
    case waitingObserverIsCalled
    case lateObserverIsCalled
    case orderIsReversed
    case diamondIsToldTwice
    case dependenciesStayAsRegistered
    case deepDependenciesAreMissed
    case declaredDependenciesAreMissed
    case absentAndNilAreOne
    case priorTellsNew
    case priorOptionIsIgnored
    case initialTellsOld
    case equalAssignmentIsSilent
    case quietAssignmentIsHeard
    case nestedPairIsToldTwice
    case assignmentInsideIsHeard
    case didAloneIsHeard
    case unionTellsWhatWasThere
    case batchTellsEachChange
    case batchTellsLastOld
    case batchKeepsKind
    case batchEndsAtTheInnerEnd
    case batchOrderIsReversed
    case batchTellsOldToAll
    case newcomersAreMissed
    case oldIsReadBefore
    // Of overridden properties.
    case overriddenSetterIsBypassed
    case announcementNeedNotBeFulfilled
    case overrideIsBypassed
    // Of whole objects.
    case objectComesInOrder
    case announcedIsNoChangeOfTheObject
    // Of hops, leaves and handlers that set properties.
    case unreportedChangesAreSeen
    case unreportedHopsAreHeard
    case announcedLeavesAreHeard
    case weakHopIsMissed
    case deathIsHeard
    case formerHopIsHeard
    case accessIsMissed
    case declaredOfStoredAreMissed
    case atomicHopIsMissed
    case kindIsLostBehindConstants
    case kindIsLostBehindOptionals
    case kindIsLostInGetters
    case kindIsKeptAfterPassing
    case copiesPass
    case newValueIsReadLate
    case overtakenValueIsToldLate
    case changeFormSkipsOvertaken
}
