import Testing

@testable import HTTP

@Suite("permessage-deflate: the offer and the response")
struct NegotiationTests {
    private static let plain = "permessage-deflate"

    @Test("a client offers what it can do")
    func offer() {
        #expect(WebSocketCompression().offer == "\(Self.plain); client_max_window_bits")
        let all = WebSocketCompression(
            serverNoContextTakeover: true,
            clientNoContextTakeover: true,
            serverMaxWindowBits: 9,
            clientMaxWindowBits: 10
        )
        #expect(
            all.offer
                == "\(Self.plain); server_no_context_takeover; client_no_context_takeover; "
                + "server_max_window_bits=9; client_max_window_bits=10"
        )
    }

    @Test(
        "a server accepts the first offer that it can",
        arguments: [
            ("permessage-deflate", "permessage-deflate"),
            ("permessage-deflate; client_max_window_bits", "permessage-deflate"),
            (
                "permessage-deflate;client_max_window_bits=10",
                "permessage-deflate; client_max_window_bits=10"
            ),
            (
                "permessage-deflate; server_max_window_bits=15",
                "permessage-deflate; server_max_window_bits=15"
            ),
            (
                "permessage-deflate; server_max_window_bits=\"9\"",
                "permessage-deflate; server_max_window_bits=9"
            ),
            (
                "permessage-deflate; server_no_context_takeover",
                "permessage-deflate; server_no_context_takeover"
            ),
            (
                "permessage-deflate; client_no_context_takeover",
                "permessage-deflate; client_no_context_takeover"
            ),
            ("x-other; a=b, , permessage-deflate", "permessage-deflate"),
            (
                "permessage-deflate; server_max_window_bits=8, permessage-deflate",
                "permessage-deflate"
            ),
            ("permessage-deflate; unknown, permessage-deflate", "permessage-deflate"),
        ]
    )
    func accepts(offer: String, response: String) {
        #expect(WebSocketCompression().accept([offer])?.response == response)
    }

    @Test(
        "a server uses no compression if no offer is valid, or within its means",
        arguments: [
            "", "x-webkit-deflate-frame", "permessage-deflate; server_max_window_bits",
            "permessage-deflate; server_max_window_bits=16",
            "permessage-deflate; server_max_window_bits=09",
            "permessage-deflate; server_max_window_bits=7",
            "permessage-deflate; server_max_window_bits=8",
            "permessage-deflate; client_max_window_bits=",
            "permessage-deflate; client_max_window_bits=a",
            "permessage-deflate; server_no_context_takeover=1",
            "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
            "permessage-deflate;", "permessage-deflate; =", "permessage deflate", "\"", ";",
            "permessage-deflate; server_max_window_bits=\"9",
            String(repeating: "permessage-deflate; x,", count: 40),
        ]
    )
    func declines(offer: String) {
        #expect(WebSocketCompression().accept([offer]) == nil)
    }

    @Test("the lines of a header form one list")
    func lines() {
        let lines = ["x-one", "permessage-deflate; server_max_window_bits=12"]
        #expect(WebSocketCompression().accept(lines)?.agreed.serverMaxWindowBits == 12)
    }

    @Test("a server's own terms hold too")
    func terms() throws {
        let terms = WebSocketCompression(
            serverNoContextTakeover: true,
            clientNoContextTakeover: true,
            serverMaxWindowBits: 11,
            clientMaxWindowBits: 12
        )
        let accepted = try #require(terms.accept(["permessage-deflate; client_max_window_bits"]))
        #expect(
            accepted.response
                == "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
                + "server_max_window_bits=11; client_max_window_bits=12"
        )
        // A client that does not say that it can limit its window must not be asked to.
        let other = try #require(terms.accept(["permessage-deflate"]))
        #expect(other.agreed.clientMaxWindowBits == 15)
        #expect(!other.response.contains("client_max_window_bits"))
    }

    @Test("a client agrees to a response that fits its offer")
    func agrees() throws {
        let offer = WebSocketCompression()
        #expect(try offer.agreed(by: []) == nil)
        let agreed = try #require(
            try offer.agreed(by: [
                "permessage-deflate; server_no_context_takeover; client_max_window_bits=9"
            ])
        )
        #expect(agreed.serverNoContextTakeover)
        #expect(!agreed.clientNoContextTakeover)
        #expect(agreed.clientMaxWindowBits == 9)
        #expect(agreed.serverMaxWindowBits == 15)
    }

    @Test(
        "a client rejects a response that does not fit its offer",
        arguments: [
            "x-other", "permessage-deflate, permessage-deflate", "permessage-deflate; x",
            "permessage-deflate; server_no_context_takeover",
            "permessage-deflate; server_no_context_takeover; server_max_window_bits=12",
            "permessage-deflate; server_max_window_bits=11",
            "permessage-deflate; server_no_context_takeover; server_max_window_bits=11; "
                + "client_max_window_bits",
            "permessage-deflate; server_no_context_takeover; server_max_window_bits=11; "
                + "client_max_window_bits=16",
            "permessage-deflate; server_no_context_takeover; server_max_window_bits=011", ";",
        ]
    )
    func rejects(response: String) {
        let offer = WebSocketCompression(serverNoContextTakeover: true, serverMaxWindowBits: 11)
        #expect(throws: ExtensionProblem.self) { try offer.agreed(by: [response]) }
    }
}
