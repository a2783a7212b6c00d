import Testing

@Suite struct RolesTests {
    @Test("Rule 43a: three attached, notify, the middle one detached, notify: the classic output")
    func theClassicOutput() throws {
        let run = try BuiltProgram(named: "roles").run([])
        #expect(
            run.output == """
                Observer X's new state is ABC
                Observer Y's new state is ABC
                Observer Z's new state is ABC
                Observer X's new state is DEF
                Observer Z's new state is DEF

                """)
        #expect(run.errors == "")
        #expect(run.status == 0)
    }
}
