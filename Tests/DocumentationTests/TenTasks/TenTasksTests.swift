import Foundation
import SafeKVO
import SafeKVOTesting
import Testing

/// Ten tasks that are compared with other libraries: a whole program for each, its test, and the number of its lines.
///
/// A comment marks each line that counts. `task N: call` is a line where the task is done, and `task N: set-up` is a line that the classes
/// need for it. A later task does not count again what it shares with task 1, unless its classes are others.
@Suite struct TenTasksTests {
    @Test("Ten tasks: no task takes more lines than the table says")
    func noTaskTakesMoreLines() throws {
        var lines: [Int: Lines] = [:]
        for file in ["TenTasksTests.swift", "TenTasks+Threads.swift"] {
            let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: file)
            for line in try String(contentsOf: path, encoding: .utf8).split(separator: "\n") {
                guard let mark = line.firstMatch(of: /\/\/ task (\d+): (call|set-up)$/), let task = Int(mark.1) else { continue }
                if mark.2 == "call" { lines[task, default: Lines()].calls += 1 } else { lines[task, default: Lines()].setUp += 1 }
            }
        }
        #expect(
            lines == [
                1: Lines(calls: 1, setUp: 3), 2: Lines(calls: 1), 3: Lines(calls: 1), 4: Lines(calls: 1), 5: Lines(calls: 1),
                6: Lines(calls: 1, setUp: 2), 7: Lines(calls: 2), 8: Lines(calls: 1), 9: Lines(calls: 2), 10: Lines(calls: 1),
            ])
    }

    struct Lines: Equatable {
        var calls = 0
        var setUp = 0
    }

    // MARK: 1. The present value, then each new one; it ends with the observer

    enum Task1 {
        final class Clock: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()  // task 1: set-up
            @Observed var hour = 0  // task 1: set-up
        }

        final class View {
            let paper: Paper
            private lazy var observations = ObservationController(observer: self)  // task 1: set-up

            init(_ paper: Paper) { self.paper = paper }

            func show(_ clock: Clock) {
                observations.observe(clock, \.hour) { view, hour in view.paper.write("\(hour)") }  // task 1: call
            }
        }
    }

    @Test("Task 1: the present value, then each new one; the observation ends with the observer")
    func task1() {
        let (clock, paper) = (Task1.Clock(), Paper())
        var view: Task1.View? = Task1.View(paper)
        view?.show(clock)
        clock.hour = 1
        clock.hour = 2
        #expect(paper.lines == ["0", "1", "2"])
        weak let released = view
        view = nil
        #expect(released == nil)
        clock.hour = 3
        #expect(paper.lines == ["0", "1", "2"])
        #expect(ObservationDiagnostics.observations(of: clock).isEmpty)
    }

    // MARK: 2. Without the present value

    enum Task2 {
        final class Clock: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var hour = 0
        }

        final class View {
            let paper = Paper()
            private lazy var observations = ObservationController(observer: self)

            func show(_ clock: Clock) {
                observations.observe(clock, \.hour, initial: false) { view, hour in view.paper.write("\(hour)") }  // task 2: call
            }
        }
    }

    @Test("Task 2: each new value, without the present one")
    func task2() {
        let (clock, view) = (Task2.Clock(), Task2.View())
        view.show(clock)
        #expect(view.paper.lines.isEmpty)
        clock.hour = 1
        #expect(view.paper.lines == ["1"])
    }

    // MARK: 3. The old and the new value

    enum Task3 {
        final class Clock: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var hour = 0
        }

        final class View {
            let paper = Paper()
            private lazy var observations = ObservationController(observer: self)

            func show(_ clock: Clock) {
                observations.onChange(of: clock, \.hour) { view, old, new in view.paper.write("\(old) to \(new)") }  // task 3: call
            }
        }
    }

    @Test("Task 3: the old and the new value of each change")
    func task3() {
        let (clock, view) = (Task3.Clock(), Task3.View())
        view.show(clock)
        clock.hour = 1
        clock.hour = 5
        #expect(view.paper.lines == ["0 to 1", "1 to 5"])
    }

    // MARK: 4. A value that is computed from two properties

    enum Task4 {
        final class Clock: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var hour = 0
            @Observed var name = "Big Ben"
            var title: String { "\(name), \(hour) o'clock" }
        }

        final class View {
            let paper = Paper()
            private lazy var observations = ObservationController(observer: self)

            func show(_ clock: Clock) {
                observations.observe(clock, \.title) { view, title in view.paper.write(title) }  // task 4: call
            }
        }
    }

    @Test("Task 4: a computed property is delivered after a change of each of the two that it reads")
    func task4() {
        let (clock, view) = (Task4.Clock(), Task4.View())
        view.show(clock)
        clock.hour = 1
        clock.name = "Gong"
        #expect(view.paper.lines == ["Big Ben, 0 o'clock", "Big Ben, 1 o'clock", "Gong, 1 o'clock"])
    }

    // MARK: 5. A path through an optional, whose middle is replaced

    enum Task5 {
        final class Home: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var street: String
            init(_ street: String) { self.street = street }
        }

        final class Person: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var home: Home?
        }

        final class View {
            let paper = Paper()
            private lazy var observations = ObservationController(observer: self)

            func show(_ person: Person) {
                observations.observe(person, \.home?.street) { view, street in view.paper.write(street ?? "none") }  // task 5: call
            }
        }
    }

    @Test("Task 5: a path through an optional follows each replacement, and leaves the replaced object")
    func task5() {
        let (person, view) = (Task5.Person(), Task5.View())
        let (first, second) = (Task5.Home("Elm"), Task5.Home("Oak"))
        view.show(person)
        person.home = first
        first.street = "Ash"
        person.home = second
        first.street = "Fir"
        second.street = "Yew"
        person.home = nil
        #expect(view.paper.lines == ["none", "Elm", "Ash", "Oak", "Yew", "none"])
        #expect(ObservationDiagnostics.observations(of: first).isEmpty)
    }

    // MARK: 7. Stop one observation, or all

    enum Task7 {
        final class Clock: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var hour = 0
            @Observed var name = "Big Ben"
            @Observed var isRunning = true
        }

        final class View {
            let paper = Paper()
            private lazy var observations = ObservationController(observer: self)

            func show(_ clock: Clock) {
                observations.observe(clock, \.hour, initial: false) { view, hour in view.paper.write("\(hour)") }
                observations.observe(clock, \.name, initial: false) { view, name in view.paper.write(name) }
                observations.observe(clock, \.isRunning, initial: false) { view, isRunning in view.paper.write("\(isRunning)") }
            }

            func hideHour(of clock: Clock) {
                observations.unobserve(clock, \.hour)  // task 7: call
            }

            func hideAll() {
                observations.unobserveAll()  // task 7: call
            }
        }
    }

    @Test("Task 7: one observation is stopped, then all others")
    func task7() {
        let (clock, view) = (Task7.Clock(), Task7.View())
        view.show(clock)
        view.hideHour(of: clock)
        clock.hour = 1
        clock.name = "Gong"
        clock.isRunning = false
        #expect(view.paper.lines == ["Gong", "false"])
        view.hideAll()
        clock.name = "Bell"
        clock.isRunning = true
        #expect(view.paper.lines == ["Gong", "false"])
    }

    // MARK: 8. Without equal values

    enum Task8 {
        final class Clock: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var hour = 0
        }

        final class View {
            let paper = Paper()
            private lazy var observations = ObservationController(observer: self)

            func show(_ clock: Clock) {
                observations.observe(clock, \.hour, removing: .duplicates) { view, hour in view.paper.write("\(hour)") }  // task 8: call
            }
        }
    }

    @Test("Task 8: a value that equals the one before is left out")
    func task8() {
        let (clock, view) = (Task8.Clock(), Task8.View())
        view.show(clock)
        for hour in [0, 1, 1, 0] { clock.hour = hour }
        #expect(view.paper.lines == ["0", "1", "0"])
    }

    // MARK: 9. Two handlers for one property in one object

    enum Task9 {
        final class Clock: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var hour = 0
        }

        final class View {
            let paper = Paper()
            private lazy var observations = ObservationController(observer: self)

            func show(_ clock: Clock) {
                observations.observe(clock, \.hour) { view, hour in view.paper.write("\(hour)") }  // task 9: call
                observations.observe(clock, \.hour, tag: "night") { view, hour in view.paper.write("night: \(hour < 6)") }  // task 9: call
            }

            /// The mistake: nothing tells the second registration from a repetition of the first.
            func showWithoutTag(_ clock: Clock) -> ObservationResult {
                observations.observe(clock, \.hour) { view, hour in view.paper.write("\(hour)") }
                return observations.observe(clock, \.hour) { view, hour in view.paper.write("night: \(hour < 6)") }
            }
        }
    }

    @Test("Task 9: a tag keeps two handlers for one property in one object")
    func task9() {
        let (clock, view) = (Task9.Clock(), Task9.View())
        view.show(clock)
        clock.hour = 7
        #expect(view.paper.lines == ["0", "night: true", "7", "night: false"])
    }

    @Test("Task 9: without the tag the second handler is ignored, which is reported at once with both lines and the cure")
    func task9WithoutTheTag() async {
        // The handler of warnings belongs to the process.
        await #expect(processExitsWith: .success) {
            let (clock, view, warnings) = (Task9.Clock(), Task9.View(), EventLog<String>())
            ObservationDiagnostics.warningHandler = { warning in warnings.append(warning.message) }
            let result = view.showWithoutTag(clock)
            let warning = warnings.events
            #expect(result == .alreadyObserved)
            #expect(view.paper.lines == ["0"])
            #expect(warning.count == 1)
            #expect(warning.first?.matches(of: /TenTasksTests\.swift:\d+/).count == 2, "\(warning)")
            #expect(warning.first?.contains("tag:") == true, "\(warning)")
        }
    }
}

extension TenTasksTests {
    /// What the views write on.
    final class Paper {
        private(set) var lines: [String] = []
        func write(_ line: String) { lines.append(line) }
    }
}
