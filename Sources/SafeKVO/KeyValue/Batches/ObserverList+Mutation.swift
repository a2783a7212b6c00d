internal import CSafeKVO
internal import Synchronization

extension ObserverList {
    /// Notes that code begins or ends to mutate the property in place, here and in the batch of this thread.
    func setOpen(_ isOpen: Bool) {
        self.isOpen.store(isOpen, ordering: .relaxed)
        if safekvo_has_batch() { ChangeBatch.noteMutation(isOpen) }
    }
}
