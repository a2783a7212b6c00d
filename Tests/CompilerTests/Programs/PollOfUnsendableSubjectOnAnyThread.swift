// error: type 'File' does not conform to the 'Sendable' protocol
import SafeKVO

#if LEGAL
    final class File: Sendable {
        let size = 0
    }
#else
    final class File {
        var size = 0
    }
#endif

final class Log: Sendable {}

func program(_ file: File, _ observations: ObservationController<Log>) {
    observations.poll(file, \.size, every: .seconds(1), on: .anyThread { _, size in print(size) })
}
