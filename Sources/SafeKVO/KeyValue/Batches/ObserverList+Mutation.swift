internal import CSafeKVO
internal import Synchronization

extension ObserverList {
    /// Notes that an in-place mutation of the property begins or ends: in this list, and in this thread's batch of changes, if any.
    func setOpen(_ isOpen: Bool) {
        self.isOpen.store(isOpen, ordering: .relaxed)
        if safekvo_has_batch() { ChangeBatch.noteMutation(isOpen) }
    }
}
