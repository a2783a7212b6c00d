/// References to unlinked infos, to be released once the lock is left.
enum Reclaimed {
    case one(Unretained<AnyObject>)
    case several([Unretained<AnyObject>])

    func release() {
        // SAFETY: these are the references that the chain owned.
        switch self {
        case .one(let info): unsafe info.release()
        case .several(let infos): for info in infos { unsafe info.release() }
        }
    }
}
