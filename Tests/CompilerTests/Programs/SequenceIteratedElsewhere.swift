// error: sending value of non-Sendable type '() async -> ()' risks causing data races
import SafeKVO

final class Clock: KeyValueObject {
    @Observed var hour = 0
}

final class Log: Sendable {}

func program(_ log: Log) async {
    let clock = Clock()
    let observations = ObservationController(observer: log)
    let hours = observations.values(of: clock, \.hour)
    #if LEGAL
        for await _ in hours { break }
    #else
        await Task.detached { for await _ in hours { break } }.value
    #endif
    clock.hour = 1
}
