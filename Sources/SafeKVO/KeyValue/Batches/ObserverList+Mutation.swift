internal import CSafeKVO
internal import Synchronization

extension ObserverList {
    /// Notes that a mutation in place of the property has begun or ended, in this list and in the batch of this thread.
    func setOpen(_ isOpen: Bool) {
        self.isOpen.store(isOpen, ordering: .relaxed)
        if safekvo_has_batch() { ChangeBatch.noteMutation(isOpen) }
    }
}
