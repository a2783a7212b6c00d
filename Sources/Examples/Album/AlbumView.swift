import SafeKVO
import SafeKVOEvents

/// A view of an album, which asks for the album's cover and shows it when it arrives.
@MainActor final class AlbumView: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    let title: String

    /// The cover, or `nil` until it arrives; the spinner observes this property.
    @Observed var cover: Image?

    private let spinner = Spinner()

    init(title: String, center: MessageCenter) {
        self.title = title
        spinner.spin(until: self)
        center.post(CoverWanted(title: title, view: self))
    }

    var line: String {
        "\(title): \(cover.map { "\($0)" } ?? "no cover")\(spinner.isSpinning ? ", spinning" : "")"
    }
}
