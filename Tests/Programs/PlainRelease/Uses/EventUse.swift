import SafeKVO
import SafeKVOEvents

#if TWO_MODULES
    import Models
#endif

@MainActor private final class Screen {
    lazy var observations = ObservationController(observer: self)
}

/// A signal, a message with a name, and a message that is a type.
@MainActor func event() {
    let (player, screen, center) = (Player(), Screen(), MessageCenter())
    screen.observations.observe(player.finished) { _, track in print("  finished", track) }
    screen.observations.observe(center, for: .libraryDidChange, object: player) { _, message in
        print("  changed", message.userInfo["title"] as? String ?? "-")
    }
    screen.observations.observe(center, for: CoverWanted.self) { _, message in print("  cover of", message.title) }
    print("send")
    player.finished.send(3)
    print("post")
    center.post(.libraryDidChange, object: player, userInfo: ["title": "Suites"])
    center.post(.libraryDidChange, object: screen, userInfo: ["title": "of another object"])
    print("post a type")
    center.post(CoverWanted(title: "Sonatas"))
    print("unobserve")
    screen.observations.unobserveAll()
    player.finished.send(4)
}
