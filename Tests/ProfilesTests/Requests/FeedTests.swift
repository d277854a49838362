import Basics
import Profiles
import Testing

@Suite("Feed")
struct FeedTests {
    private let token = AccessToken(Secret("a+b/c\"="))

    @Test("the token goes where the file says")
    func places() throws {
        let query = try feed("token_in = \"query:access token\"\nsince = \"since\"")
        let request = try #require(query.feedRequest(token, since: "7"))
        #expect(request.target == "/ws?access%20token=a%2Bb%2Fc%22%3D&since=7")
        #expect(request.shownTarget == "/ws?access%20token={token}&since=7")

        let bearer = try feed("token_in = \"bearer\"")
        #expect(
            bearer.feedRequest(token, since: "7")?.headers
                == [WireHeader("Authorization", "Bearer a+b/c\"=")]
        )
        #expect(bearer.feedRequest(token, since: "7")?.target == "/ws")

        let offered = try feed("token_in = \"subprotocol:bearer.\"\nsubprotocols = [\"v1\"]")
        #expect(offered.feedRequest(token, since: nil)?.subprotocols == ["v1", "bearer.a+b/c\"="])

        let first = try feed("token_in = \"message\"\nfirst_message = '{\"auth\": \"{access}\"}'")
        #expect(
            first.feedRequest(token, since: nil)?.greetings == [#"{"auth": "a+b/c\"="}"#]
        )
    }

    @Test(
        "a frame that a rule describes is no message",
        arguments: [
            (#"{"type": "hello", "id": 7}"#, true), (#"{"type": "Auth OK"}"#, true),
            (#"{"type": "post", "id": 7}"#, false), (#"{"id": 7}"#, false),
            (#"{"type": "post"}"#, true), ("hello", false), ("[]", false),
        ]
    )
    func control(text: String, isControl: Bool) throws {
        let dialect = try feed(
            """
            token_in = "bearer"
            control = [{ key = "type", equals = ["hello", "authok"] }, { missing = "id" }]
            """
        )
        #expect(dialect.readFeedMessage(text).isControl == isControl)
    }

    @Test("a subprotocol is recognized by its prefix")
    func subprotocol() throws {
        let dialect = try feed("token_in = \"subprotocol:bearer.\"\nsubprotocols = [\"v1\"]")
        let headers = [WireHeader("Sec-WebSocket-Protocol", "v1, bearer.abc")]
        let upgrade = WireRequest(method: "GET", target: "/ws", headers: headers)
        #expect(dialect.recognize(upgrade) == .feed(AccessToken(Secret("abc")), since: nil))
        let bare = WireRequest(method: "GET", target: "/ws")
        #expect(dialect.recognize(bare) == .feed(nil, since: nil))
    }

    @Test(
        "the way to change over to a new token is the file's",
        arguments: [
            ("", FeedSwitch.overlap), ("switch = \"restart\"", .restart),
            ("switch = \"keep\"", .keep),
            (
                "switch = \"message\"\nswitch_message = '{\"t\": \"{access}\"}'",
                .message
            ),
        ]
    )
    func change(lines: String, expected: FeedSwitch) throws {
        let dialect = try feed("token_in = \"query:token\"\n" + lines)
        #expect(dialect.feedSwitch == expected)
        let renewals = dialect.feedScript.says.indices.filter {
            dialect.feedScript.says[$0].occasion == .renewal
        }
        let texts = renewals.map { dialect.feedText(FeedSaying(say: $0), token: token) }
        #expect(texts == (expected == .message ? [#"{"t": "a+b/c\"="}"#] : []))
    }

    @Test("only bitbasel has a feed of its own, and the sandbox lends one to the others")
    func sandbox() {
        for dialect in Dialect.builtIn() {
            #expect(dialect.hasFeed == (dialect.name == "bitbasel"))
            let lent = dialect.withSandboxFeed()
            #expect(
                lent.feedRequest(AccessToken(Secret("x")), since: nil)?.target
                    == "/ws/feed?token=x"
            )
            #expect(lent.paths.contains("/ws/feed"))
        }
    }

    @Test(
        "a message's parts are found where they are told",
        arguments: [
            (
                #"{"type": "post", "id": "m1", "seq": 7, "ts": 1, "data": {}}"#,
                FeedMessage(id: "m1", seq: 7, type: "post", excerpt: "")
            ),
            (#"{"id": 12, "seq": "8"}"#, FeedMessage(id: "12", seq: 8, type: nil, excerpt: "")),
            (
                #"{"id": null, "seq": 1.5, "type": {}}"#,
                FeedMessage(id: nil, seq: nil, type: nil, excerpt: "")
            ),
            (#"{"seq": 1e300}"#, FeedMessage(id: nil, seq: nil, type: nil, excerpt: "")),
            ("[1, 2]", FeedMessage(id: nil, seq: nil, type: nil, excerpt: "")),
            ("ping", FeedMessage(id: nil, seq: nil, type: nil, excerpt: "")),
            ("", FeedMessage(id: nil, seq: nil, type: nil, excerpt: "")),
        ]
    )
    func messages(text: String, expected: FeedMessage) throws {
        let dialect = try #require(Dialect.builtIn(named: "bitbasel"))
        var expected = expected
        expected.excerpt = text
        #expect(dialect.readFeedMessage(text) == expected)
    }

    @Test("of a long message only the beginning is kept")
    func excerpt() throws {
        let dialect = try #require(Dialect.builtIn(named: "bitbasel"))
        let text = #"{"id": "\#(String(repeating: "é", count: 2_000_000))"}"#
        let message = dialect.readFeedMessage(text)
        #expect(message.excerpt.count == 512)
        #expect(message.id == nil)
    }

    private func feed(_ lines: String) throws -> Dialect {
        try Dialect.sketch(more: "[feed]\npath = \"/ws\"\n\(lines)")
    }

    @Test("a greeting with the number of a message is no duplicate of it")
    func greeting() throws {
        let dialect = try Dialect.sketch(
            more: """
                [feed]
                path = "/ws"
                token_in = "query:token"
                seq = "seq"
                type = "type"
                """
        )
        func key(_ text: String) -> String { dialect.readFeedMessage(text).key(of: text) }
        let message = key(#"{"type": "post", "seq": 41, "at": 1}"#)
        #expect(key(#"{"type": "hello", "seq": 41}"#) != message)
        #expect(key(#"{"type": "post", "seq": 41, "at": 2}"#) == message)
        #expect(key(#"{"type": "post", "seq": 42, "at": 1}"#) != message)
    }

    @Test("the reason of a close shows no part of a token that it cuts, and all else")
    func closeReason() throws {
        let dialect = try Dialect.sketch(more: "")
        let head = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
        let token = Secret(head + ".eyJzdWIiOiJ1c2VyIiwianRpIjoiY2NiYzIxOTNiYiJ9.c2lnbmF0dXJl")
        var secrets = KnownSecrets.none
        secrets.add(token)
        func read(_ reason: String) -> String {
            dialect.readCloseReason(reason, hiding: secrets)
        }
        let cut = read(String("rejected: \(token.reveal())".prefix(80)))
        #expect(cut.hasPrefix("rejected: ‹"))
        #expect(!cut.contains("eyJ"))
        let plain = "session 12 of ada@example.com was replaced on 2026-11-29 (code 4000)"
        #expect(read(plain) == plain)
    }
}
