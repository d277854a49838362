import Basics
import Testing

@testable import Profiles

@Suite("Lists of active sessions")
struct ListedSessionTests {
    private static let file =
        Mistake.soundLogin + """
            [sessions]
            request = "GET /sessions"
            list = "data"
            id = "id"
            name = "device.name"
            started_at = "created"
            last_used_at = "used"
            [sessions.end]
            request = "DELETE /sessions/{id}"
            """

    private static func read(_ body: String) throws -> [ListedSession]? {
        let dialect = try Dialect(toml: file, file: "mine.toml")
        return dialect.readSessions(WireResponse(status: 200, body: Array(body.utf8)))
    }

    @Test(
        "times are read in the forms that backends write",
        arguments: [
            #""2026-01-06T13:48:40Z""#, #""2026-01-06T14:48:40+01:00""#, "1767707320",
            "1767707320000", #""1767707320""#, #""Tue, 06 Jan 2026 13:48:40 GMT""#,
            #""/Date(1767707320000)/""#,
        ]
    )
    func times(form: String) throws {
        let body = #"{"data": [{"id": 7, "device": {"name": "Pixel"}, "created": \#(form)}]}"#
        let session = try #require(try Self.read(body)?.first)
        #expect(session.id == "7")
        #expect(session.name == "Pixel")
        #expect(session.startedAt == 1_767_707_320)
        #expect(session.lastUsedAt == nil)
        #expect(session.isCurrent == nil)
    }

    @Test("what a server puts into a name stays in one line, and is bounded")
    func hostile() throws {
        let long = String(repeating: "x", count: 5_000)
        let body = """
            {"data": [{"id": "a\\u001b[2Jb", "device": {"name": "\(long)"}}, {"id": ""}, {}]}
            """
        let sessions = try #require(try Self.read(body))
        #expect(sessions.count == 1)
        #expect(sessions[0].id == "a [2Jb")
        #expect(sessions[0].isExact == false)
        #expect(sessions[0].name?.count == 200)
    }

    @Test("a list without an end is cut")
    func many() throws {
        let items = (1...3_000).map { #"{"id": "\#($0)"}"# }.joined(separator: ",")
        #expect(try Self.read("{\"data\": [\(items)]}")?.count == Dialect.sessionsLimit)
    }

    @Test("an id is one segment of the path, and can be no other path")
    func path() throws {
        let dialect = try Dialect(toml: Self.file, file: "mine.toml")
        let token = AccessToken(Secret("t"))
        let request = try #require(dialect.endSessionRequest(token, id: "a/../b?c"))
        #expect(request.target == "/sessions/a%2F..%2Fb%3Fc")
        #expect(request.method == "DELETE")
        #expect(dialect.recognize(request) == .endSession(id: "a/../b?c", token))
        for id in ["", ".", ".."] { #expect(dialect.endSessionRequest(token, id: id) == nil) }
    }

    @Test("the way to end one must name it")
    func mistake() {
        Mistake(
            Mistake.soundLogin
                + "[sessions]\nrequest = \"GET /s\"\nid = \"id\"\n[sessions.end]\n"
                + "request = \"DELETE /s\"",
            "mine.toml:12: sessions.end.request: \"/s\" does not name the session, "
                + "expected one {id}, as in DELETE /auth/sessions/{id}"
        ).expectNamed()
    }
}
