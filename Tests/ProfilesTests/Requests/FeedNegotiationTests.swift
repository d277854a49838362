import Basics
import Testing

@testable import Profiles

@Suite("Feed: what is asked before a dial")
struct FeedNegotiationTests {
    private let token = AccessToken(Secret("t0ken-of-the-session"))
    private let dialect: Dialect

    init() throws {
        dialect = try Dialect.sketch(more: "[feed]\nkind = \"signalr\"\npath = \"/hub?room=1\"")
    }

    private func start() throws -> (FeedRequest, FeedNegotiation) {
        let dial = try #require(dialect.feedRequest(token, since: nil))
        return (dial, try #require(dial.negotiation))
    }

    @Test("it is asked below the feed's path, with the token in a header")
    func question() throws {
        let (_, negotiation) = try start()
        #expect(negotiation.request.method == "POST")
        #expect(negotiation.request.target == "/hub/negotiate?room=1&negotiateVersion=1")
        let header = negotiation.request.header("Authorization")
        #expect(header == "Bearer t0ken-of-the-session")
        #expect(!"\(negotiation)".contains("t0ken"))
    }

    @Test(
        "the answer's id goes into the query of the dial",
        arguments: [
            (#"{"connectionToken":"a+b/","connectionId":"c","negotiateVersion":1}"#, "id=a%2Bb%2F"),
            (#"{"connectionId":"c"}"#, "id=c"),
        ]
    )
    func dialed(answer: String, parameter: String) throws {
        let (dial, negotiation) = try start()
        guard case .dial(let next) = negotiation.step(after: .body(answer), dialing: dial) else {
            Issue.record("no dial")
            return
        }
        let query = "room=1&access_token=t0ken-of-the-session&\(parameter)"
        #expect(next.target == "/hub?\(query)")
        #expect(next.negotiation == nil)
        #expect(next.shownTarget == dial.shownTarget)
    }

    @Test("another server is asked and dialed with the token that it has, and no other")
    func redirected() throws {
        let (dial, negotiation) = try start()
        let first = #"{"url":"https://a.example/client/?hub=chat","accessToken":"theirs"}"#
        guard
            case .ask(let next, "https://a.example") = negotiation.step(
                after: .body(first),
                dialing: dial
            )
        else {
            Issue.record("no other server")
            return
        }
        #expect(next.request.target == "/client/negotiate?hub=chat&negotiateVersion=1")
        #expect(next.request.header("Authorization") == "Bearer theirs")
        let second = #"{"connectionToken":"id1"}"#
        guard case .dial(let there) = next.step(after: .body(second), dialing: dial) else {
            Issue.record("no dial")
            return
        }
        #expect(there.target == "/client/?hub=chat&access_token=theirs&id=id1")
        #expect(there.secrets == [Secret("theirs"), Secret("id1")])
        #expect(there.headers == [])
    }

    @Test(
        "an answer of no use says what it lacks",
        arguments: [
            ("<html>", "the answer to POST /hub/negotiate is no JSON"),
            (
                #"{"error":"no"}"#,
                "the answer to POST /hub/negotiate has no connectionToken or connectionId"
            ),
            (
                #"{"url":"https://a.example/client"}"#,
                "the answer to POST /hub/negotiate names another server without a token for it"
            ),
            (
                #"{"url":"https://me@a.example/client","accessToken":"b"}"#,
                "the answer to POST /hub/negotiate names another server by what is no URL"
            ),
            (
                "{\"url\":\"https://a.example/\u{301}client\",\"accessToken\":\"b\"}",
                "the answer to POST /hub/negotiate names another server by what is no URL"
            ),
        ]
    )
    func unusable(answer: String, message: String) throws {
        let (dial, negotiation) = try start()
        #expect(negotiation.step(after: .body(answer), dialing: dial) == .unusable(message))
    }

    @Test("nothing is asked of a server that is said not to need it")
    func none() throws {
        let plain = try Dialect.sketch(
            more: "[feed]\nkind = \"signalr\"\npath = \"/hub\"\nnegotiate = false"
        )
        let dial = try #require(plain.feedRequest(token, since: nil))
        #expect(dial.negotiation == nil)
    }
}

extension WireResponse {
    fileprivate static func body(_ text: String) -> WireResponse {
        WireResponse(status: 200, headers: [.json], body: Array(text.utf8))
    }
}
