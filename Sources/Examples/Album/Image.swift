struct Image: CustomStringConvertible {
    enum Origin: String {
        case folder, cache
    }

    let width: Int
    let height: Int
    let origin: Origin

    var description: String { "\(width) × \(height), from the \(origin)" }
}
