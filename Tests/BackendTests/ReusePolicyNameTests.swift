import Backend
import Testing

@Suite("Backend: how a user names a reuse policy")
struct ReusePolicyNameTests {
    @Test(
        "each has a name",
        arguments: [
            ("none", ReusePolicy.none), ("strict", .strict),
            ("strict-revoke", .strictRevokeFamily), ("grace", .grace(seconds: 30)),
            ("grace:seconds=2.5", .grace(seconds: 2.5)), ("grace-forks", .graceForks(seconds: 30)),
            ("grace-forks:seconds=0", .graceForks(seconds: 0)),
            ("old-lives", .oldLivesUntilNewUsed),
        ]
    )
    func names(text: String, policy: ReusePolicy) throws {
        #expect(try ReusePolicy(parsing: text) == policy)
    }

    @Test(
        "another is refused with what there is",
        arguments: [
            ("strickt", "did you mean strict?"), ("", "strict-revoke"),
            ("strickt:seconds=3", "did you mean strict?"), ("strict:seconds=3", "no settings"),
            ("grace:3", "seconds=0 to 86400"), ("grace:seconds=-1", "seconds=0 to 86400"),
            ("grace:seconds=nan", "seconds=0 to 86400"), ("grace:", "seconds=0 to 86400"),
        ]
    )
    func mistakes(text: String, says: String) {
        let error = #expect(throws: ReusePolicyError.self) { try ReusePolicy(parsing: text) }
        #expect(error?.description.contains(says) == true)
    }

    @Test("every name in the list is understood", arguments: ReusePolicy.names)
    func list(name: String) {
        #expect(throws: Never.self) { try ReusePolicy(parsing: name) }
    }
}
