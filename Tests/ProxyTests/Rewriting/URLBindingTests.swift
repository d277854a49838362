import Basics
import TestSupport
import Testing

@testable import Model
@testable import Observer
@testable import Proxy

@Suite("Proxy: messages that are bound to a URL", .timeLimit(.minutes(10)))
struct URLBindingTests {
    /// A proof of DPoP for a URL, whose signature nobody checks here.
    private static func proof(_ url: String) -> String {
        let parts = [
            #"{"typ":"dpop+jwt","alg":"ES256"}"#,
            #"{"jti":"a","htm":"GET","htu":"\#(url)","iat":1}"#,
        ]
        return parts.map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".") + ".AAAA"
    }

    @Test(
        "a proof for the proxy's own address, and metadata of a resource, are named",
        arguments: [
            ("/me", "http://127.0.0.1:PORT/me", 1), ("/me", "http://api.example.com/me", 0),
            ("/.well-known/oauth-protected-resource/mcp", nil, 1), ("/me", nil, 0),
        ] as [(String, String?, Int)]
    )
    func named(path: String, url: String?, count: Int) async throws {
        let seen = RecordedTraffic()
        try await withOrigin { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        } body: { origin in
            try await withProxy(to: origin, seen: seen) { port in
                var client = try await RawConnection.connect(to: port)
                let field = url.map {
                    "DPoP: \(Self.proof($0.replacing("PORT", with: String(port))))\r\n"
                }
                let head = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
                try await client.write("\(head)\(field ?? "")\r\n")
                _ = try await client.readAnswer()
                await client.close()
            }
        }
        let bound = seen.all.filter { input in
            if case .unreadable(.bound) = input.kind { true } else { false }
        }
        #expect(bound.count == count)
    }
}
