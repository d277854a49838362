import Testing

@testable import Profiles

@Suite("Profiles: an edit while a session runs")
struct ProfileEditTests {
    private static let usual = """
        extends = "voltyks"
        base_url = "https://api.example.com"
        [policy]
        lead = "30s"
        """

    private static func edit(to lines: String) throws -> ProfileEdit {
        let used = try Profile.extending(lines: usual)
        return ProfileEdit(of: used, to: try Profile.extending(lines: lines))
    }

    @Test(
        "changes nothing if only remarks and spaces differ",
        arguments: [usual, usual + "\n# soon\n\n"]
    )
    func same(lines: String) throws {
        let edit = try Self.edit(to: lines)
        #expect(edit.isEmpty)
        #expect(edit.profile.dialect.policy.lead == 30)
    }

    @Test(
        "is used from now on where a session that runs can follow it",
        arguments: [
            ("title = \"Mine\"\n" + usual, "title"),
            (usual + "\n[protected]\nrequest = \"GET /api/other\"", "protected"),
            (usual + "\n[refresh]\nheaders = { X-App = \"1\" }", "refresh"),
        ]
    )
    func adopted(lines: String, key: String) throws {
        let edit = try Self.edit(to: lines)
        #expect(edit.adopted == [key])
        #expect(edit.postponed.isEmpty)
        #expect(edit.profile.dialect == (try Profile.extending(lines: lines)).dialect)
    }

    @Test("of the policy is used from now on, but for what a screen or a file was begun with")
    func policy() throws {
        let lines = Self.usual.replacing("30s", with: "5m") + "\nlock_after = \"10m\""
        let edit = try Self.edit(to: lines)
        #expect(edit.adopted == ["policy"])
        #expect(edit.postponed == ["policy.lock_after"])
        #expect(edit.profile.dialect.policy.lead == 300)
        #expect(edit.profile.dialect.policy.lockAfter == nil)
    }

    @Test(
        "waits for a new start where the session was begun with it, and takes no request along",
        arguments: [
            ("base_url = \"https://api.example.com\"", "base_url = \"https://x.test\"", "base_url"),
            ("extends = \"voltyks\"", "extends = \"melchat\"", "extends"),
            ("extends", "vault = \"memory\"\nextends", "vault"),
            ("extends", "retention = \"30d\"\nextends", "retention"),
        ]
    )
    func postponed(old: String, new: String, key: String) throws {
        let lines =
            Self.usual.replacing(old, with: new, maxReplacements: 1)
            + "\n[protected]\nrequest = \"GET /api/other\""
        let edit = try Self.edit(to: lines)
        #expect(edit.postponed.contains(key))
        #expect(edit.postponed.contains("protected"))
        #expect(!edit.adopted.contains("protected"))
        // Taken back, nothing waits any more.
        let used = try Profile.extending(lines: Self.usual)
        #expect(ProfileEdit(of: edit.profile, to: used).postponed.isEmpty)
    }

    @Test("keeps the feed that the session has got besides, and else that of the file")
    func feed() throws {
        let voltyks = try #require(Dialect.builtIn(named: "voltyks"))
        #expect(voltyks.keepingFeed(of: voltyks.withSandboxFeed()).hasFeed)
        let stream = voltyks.withSandboxStream()
        #expect(stream.keepingFeed(of: voltyks.withSandboxFeed()).feedKind == stream.feedKind)
    }
}
