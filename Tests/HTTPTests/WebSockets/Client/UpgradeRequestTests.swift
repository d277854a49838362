import NIOHTTP1
import Testing

@testable import HTTP

@Suite("Upgrade request")
struct UpgradeRequestTests {
    @Test(
        "the host names its port unless it is the usual one",
        arguments: [
            (.ws, "example.org", 80, "example.org"),
            (.wss, "example.org", 443, "example.org"),
            (.ws, "example.org", 443, "example.org:443"),
            (.wss, "127.0.0.1", 8787, "127.0.0.1:8787"),
            (.ws, "::1", 8787, "[::1]:8787"),
        ] as [(WebSocketRequest.Scheme, String, Int, String)]
    )
    func host(scheme: WebSocketRequest.Scheme, host: String, port: Int, expected: String) throws {
        let request = WebSocketRequest(scheme: scheme, host: host, port: port)
        #expect(try UpgradeRequest(request).head.headers["Host"] == [expected])
    }

    @Test("a host of the caller's replaces ours")
    func ownHost() throws {
        let request = WebSocketRequest.local(1, headers: [("host", "other")])
        #expect(try UpgradeRequest(request).head.headers["Host"] == ["other"])
    }

    @Test(
        "a path stays as it was written",
        arguments: ["/", "/a%20b?token=x|y{z}&t=%2F", "//", "/?"]
    )
    func path(path: String) throws {
        #expect(try UpgradeRequest(.local(1, path: path)).head.uri == path)
    }

    @Test(
        "what would break the request is refused before anything is sent",
        arguments: [
            .local(1, path: ""), .local(1, path: "feed"), .local(1, path: "/a b"),
            .local(1, path: "/\r\nX: y"), .local(1, path: "/é"), .local(1, path: "/#part"),
            .local(1, headers: [("X", "a\r\nY: b")]), .local(1, headers: [("X\n", "a")]),
            .local(1, headers: [("", "a")]), .local(1, headers: [("Connection", "close")]),
            .local(1, headers: [("sec-websocket-key", "a")]), .local(1, subprotocols: ["a, b"]),
            WebSocketRequest(scheme: .ws, host: "", port: 1),
            WebSocketRequest(scheme: .ws, host: "a\r\nX: y", port: 1),
        ] as [WebSocketRequest]
    )
    func refused(request: WebSocketRequest) {
        #expect {
            try UpgradeRequest(request)
        } throws: { error in
            guard case WebSocketDialError.invalidRequest = error else { return false }
            return true
        }
    }
}
