import SafeKVO

/// Shows an album: asks for its cover, and shows it when it comes.
final class AlbumView: KeyValueObject {
    let title: String

    /// The cover, once it is there; its spinner watches.
    @Observed var cover: Image?

    private let spinner = Spinner()

    init(title: String, center: MessageCenter) {
        self.title = title
        super.init()
        spinner.spin(until: self)
        center.post(CoverWanted(title: title, view: self))
    }

    /// What the view looks like.
    var line: String {
        "\(title): \(cover.map { "\($0)" } ?? "no cover")\(spinner.isSpinning ? ", spinning" : "")"
    }
}
