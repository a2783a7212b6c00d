internal import CSafeKVO
internal import Synchronization

extension ObserverList {
    /// Notes that an in-place mutation of the property begins or ends.
    func setOpen(_ isOpen: Bool) {
        self.isOpen.store(isOpen, ordering: .relaxed)
        if safekvo_has_batch() { ChangeBatch.noteMutation(isOpen) }
    }
}
