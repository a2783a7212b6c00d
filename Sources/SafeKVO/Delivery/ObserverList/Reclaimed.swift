/// References to unlinked infos, to be released once the lock is left.
enum Reclaimed {
    case one(Unretained<AnyObject>)
    case several([Unretained<AnyObject>])

    func release() {
        switch self {
        case .one(let info): info.release()
        case .several(let infos): for info in infos { info.release() }
        }
    }
}
