import KeyValueModel
import Testing

/// What checks the model itself: short programs whose histories are written by hand from the rules.
@Suite struct ModelTraceTests {
    @Test(
        "The model tells each program as it is written by hand",
        arguments: ModelTrace.changes + ModelTrace.keyPaths + ModelTrace.byHand + ModelTrace.collections + ModelTrace.batches
            + ModelTrace.hops + ModelTrace.passing + ModelTrace.overrides + ModelTrace.settingHandlers)
    func theModelTellsEachProgramAsWritten(trace: ModelTrace) {
        var model = Model()
        for step in trace.program { model.run(step) }
        #expect(model.calls.map(\.description) == trace.history)
    }
}
