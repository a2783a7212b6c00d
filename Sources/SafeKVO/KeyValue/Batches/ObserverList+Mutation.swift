internal import CSafeKVO
internal import Synchronization

extension ObserverList {
    func setOpen(_ isOpen: Bool) {
        self.isOpen.store(isOpen, ordering: .relaxed)
        if safekvo_has_batch() { ChangeBatch.noteMutation(isOpen) }
    }
}
