@testable import SafeKVO

/// `true` if Swift reports a change also after it is made: from Swift 6.4 on, and in `.ci/next-observation.sh`.
let isReportedAfter = Tracker<ObservableTests.Model, Int>.isReportedAfter
