import Basics
import Testing

@testable import Profiles

@Suite("Feed: what is said, and what is expected")
struct FeedScriptTests {
    private let token = AccessToken(Secret("t0ken\"1"))

    /// A kind of feed with what its server sends.
    struct Kind: Sendable, CustomTestStringConvertible {
        let name: String
        var lines = ""
        /// What the client says with its token on the opening, or after the first of `frames`.
        let first: String
        /// What the server sends, with the names of what each frame meets.
        let frames: [(String, [String])]

        var testDescription: String { name }
    }

    private static let kinds = [
        Kind(
            name: "graphql-transport-ws",
            lines: "path = \"/graphql\"",
            first: #"{"type":"connection_init","payload":{"Authorization":"Bearer t0ken\"1"}}"#,
            frames: [
                (#"{"type":"connection_ack"}"#, ["acknowledged"]), (#"{"type":"ping"}"#, ["ping"]),
                (#"{"type":"pong","payload":{}}"#, ["pong"]),
                (#"{"type":"connection_error","payload":{"message":"no"}}"#, ["refused"]),
                (#"{"id":"1","type":"next","payload":{"data":{"type":"ping"}}}"#, []),
            ]
        ),
        Kind(
            name: "home-assistant",
            first: #"{"type":"auth","access_token":"t0ken\"1"}"#,
            frames: [
                (#"{"type":"auth_required","ha_version":"2021.5.3"}"#, ["required"]),
                (#"{"type":"auth_ok","ha_version":"2021.5.3"}"#, ["authenticated"]),
                (#"{"id":1,"type":"result","success":true,"result":null}"#, ["subscribed"]),
                (#"{"id":1,"type":"result","success":false,"error":{}}"#, []),
                (#"{"id":2,"type":"pong"}"#, ["pong"]),
                (#"{"type":"auth_invalid","message":"Invalid password"}"#, ["refused"]),
                (#"{"id":1,"type":"event","event":{"event_type":"test"}}"#, []),
            ]
        ),
        Kind(
            name: "phoenix",
            lines: "values.topic = \"room:lobby\"",
            first: #"{"topic":"room:lobby","event":"phx_join","#
                + #""payload":{"access_token":"t0ken\"1"},"ref":"1","join_ref":"1"}"#,
            frames: [
                (
                    #"{"topic":"room:lobby","event":"phx_reply","ref":"1","#
                        + #""payload":{"status":"ok","response":{}}}"#, ["joined"]
                ),
                (
                    #"{"topic":"phoenix","event":"phx_reply","ref":"2","#
                        + #""payload":{"status":"ok","response":{}}}"#, ["heartbeat"]
                ),
                (
                    #"{"topic":"room:lobby","event":"phx_reply","ref":"1","#
                        + #""payload":{"status":"error","response":{"reason":"no"}}}"#, ["refused"]
                ),
                (
                    #"{"topic":"room:lobby","event":"system","ref":null,"#
                        + #""payload":{"status":"error","message":"Token has expired"}}"#,
                    ["expired"]
                ),
                (#"{"topic":"room:lobby","event":"message","ref":null,"payload":{}}"#, []),
            ]
        ),
        Kind(
            name: "socket.io",
            first: #"40{"token":"t0ken\"1"}"#,
            frames: [
                (#"0{"sid":"a","upgrades":[],"pingInterval":25000}"#, ["handshake"]),
                (#"40{"sid":"b"}"#, ["connected"]), ("2", ["ping"]),
                (#"44{"message":"Not authorized"}"#, ["refused"]), (#"42["post",{}]"#, []),
            ]
        ),
        Kind(
            name: "signalr",
            lines: "path = \"/hub\"",
            first: "{\"protocol\":\"json\",\"version\":1}\u{1E}",
            frames: [
                ("{}", ["handshake"]), (#"{"type":6}"#, ["ping"]),
                (#"{"type":7,"error":"gone"}"#, ["closed"]),
                (#"{"error":"no such protocol"}"#, ["failed"]),
                (#"{"type":1,"target":"Send","arguments":["hi"]}"#, []),
            ]
        ),
        Kind(
            name: "actioncable",
            lines: "values.channel = \"ChatChannel\"",
            first: #"{"command":"subscribe","identifier":"{\"channel\":\"ChatChannel\"}"}"#,
            frames: [
                (#"{"type":"welcome"}"#, ["welcome"]),
                (#"{"identifier":"{}","type":"confirm_subscription"}"#, ["subscribed"]),
                (#"{"type":"ping","message":1700000000}"#, ["ping"]),
                (#"{"identifier":"{}","type":"reject_subscription"}"#, ["rejected"]),
                (
                    #"{"type":"disconnect","reason":"unauthorized","reconnect":false}"#,
                    ["unauthorized", "disconnected"]
                ),
                (#"{"type":"disconnect","reason":"server_restart"}"#, ["disconnected"]),
                (#"{"identifier":"{}","message":{"type":"ping"}}"#, []),
            ]
        ),
        Kind(
            name: "stomp",
            lines: "path = \"/ws\"\nvalues.destination = \"/topic/news\"",
            first: "CONNECT\naccept-version:1.2\nhost:/\nheart-beat:10000,10000\n"
                + "Authorization:Bearer t0ken\\\"1\n\n\u{0}",
            frames: [
                ("CONNECTED\nversion:1.2\n\n", ["connected"]), ("\n", ["heartbeat"]),
                ("RECEIPT\nreceipt-id:0\n\n", ["subscribed"]),
                ("ERROR\nmessage:no\n\n", ["refused"]),
                ("MESSAGE\nsubscription:0\nmessage-id:1\ndestination:/topic/news\n\nhello", []),
            ]
        ),
    ]

    @Test("each kind says and expects what its documentation has", arguments: kinds)
    func kind(of kind: Kind) throws {
        let dialect = try feed("kind = \"\(kind.name)\"\n\(kind.lines)")
        let script = dialect.feedScript
        let early = script.says.indices.filter { index in
            switch script.says[index].occasion {
            case .opening, .after: true
            case .renewal, .interval: false
            }
        }
        let texts = early.map {
            dialect.feedText(FeedSaying(say: $0, number: 1), token: token)
        }
        #expect(texts.contains(kind.first))
        for (frame, names) in kind.frames {
            let message = dialect.readFeedMessage(frame)
            #expect(message.meets.map { script.expectations[$0].name } == names, "\(frame)")
            #expect(message.isControl == !names.isEmpty, "\(frame)")
        }
        #expect(script.expectations.contains { $0.meaning == .accepted })
    }

    @Test("every kind is among the examples")
    func everyKind() {
        #expect(Self.kinds.map(\.name).sorted() == FeedConversation.names)
    }

    @Test("what a profile says itself is added to what its kind says, and keys come before")
    func own() throws {
        let dialect = try feed(
            """
            kind = "graphql-transport-ws"
            path = "/subscriptions"
            subprotocols = "graphql-ws"
            [[feed.say]]
            after = "acknowledged"
            text = '{"id":"1","type":"subscribe"}'
            [[feed.expect]]
            name = "complete"
            key = "type"
            equals = "complete"
            """
        )
        let script = dialect.feedScript
        #expect(script.says.count == 4)
        #expect(script.says.last?.occasion == .after(0))
        #expect(script.expectations.last?.name == "complete")
        let request = try #require(dialect.feedRequest(token, since: nil))
        #expect(request.target == "/subscriptions")
        #expect(request.subprotocols == ["graphql-ws"])
        #expect(!"\(request)".contains("t0ken"))
    }

    @Test("a message is not sent without what it contains")
    func incomplete() throws {
        let dialect = try feed("kind = \"home-assistant\"")
        #expect(dialect.feedText(FeedSaying(say: 0), token: nil) == nil)
        #expect(
            dialect.feedText(FeedSaying(say: 1, number: 7), token: nil)
                == #"{"id":7,"type":"subscribe_events"}"#
        )
        #expect(dialect.feedText(FeedSaying(say: 9), token: token) == nil)
    }

    @Test("a frame has as many messages as its separator ends")
    func separated() throws {
        let dialect = try feed("kind = \"signalr\"\npath = \"/hub\"")
        #expect(dialect.feedMessages(in: "{}\u{1E}{\"type\":6}\u{1E}") == ["{}", "{\"type\":6}"])
        let whole = try feed("kind = \"home-assistant\"")
        #expect(whole.feedMessages(in: "a\u{1E}b") == ["a\u{1E}b"])
    }

    @Test("a captured value is sent in a message, escaped, and asked for before the dial")
    func captured() throws {
        let dialect = try Dialect.sketch(
            top: "capture.device = \"json:device\"",
            more: """
                [feed]
                path = "/ws"
                token_in = "bearer"
                [[feed.say]]
                text = '{"device":"{device}"}'
                """
        )
        let values = CapturedValues(["device": Secret("a\"b")])
        let saying = FeedSaying(say: 0)
        #expect(
            dialect.feedText(saying, token: token, captured: values) == #"{"device":"a\"b"}"#
        )
        #expect(dialect.feedText(saying, token: token) == nil)
        #expect(dialect.feedRequest(token, since: nil)?.problem != nil)
        #expect(dialect.feedRequest(token, since: nil, captured: values)?.problem == nil)
    }

    private func feed(_ lines: String) throws -> Dialect {
        try Dialect.sketch(more: "[feed]\n\(lines)")
    }
}
