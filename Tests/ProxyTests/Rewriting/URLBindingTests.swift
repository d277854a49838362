import Basics
import NIOCore
import Platform
import Synchronization
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

    private static let metadata = "/.well-known/openid-configuration"

    @Test(
        "metadata with another issuer are named where an app goes no further, and are not where it does",
        arguments: [
            ("https://id.example.com", [metadata], 1),
            ("https://id.example.com", [metadata, metadata], 1),
            ("https://id.example.com", [metadata, "/jwks"], 0),
            ("http://127.0.0.1:PORT", [metadata], 0),
            ("http://127.0.0.1:PORT/realm", [metadata], 0),
            (nil, [metadata], 0),
        ] as [(String?, [String], Int)]
    )
    func issuer(issuer: String?, paths: [String], count: Int) async throws {
        let seen = RecordedTraffic()
        let port = Mutex(0)
        try await withOrigin { connection in
            while (try? await connection.readHead()) != nil {
                let name = issuer?.replacing("PORT", with: String(port.withLock(\.self)))
                let body = name.map { #"{"issuer":"\#($0)"}"# } ?? "{}"
                try await connection.write(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
                )
            }
        } body: { origin in
            var configuration = ProxyConfiguration()
            configuration.issuerTimeout = .hours(1)
            let server = ProxyServer(
                [ProxiedOrigin(try BackendOrigin(parsing: "http://127.0.0.1:\(origin)"), port: 0)],
                configuration: configuration,
                timekeeper: LiveTimekeeper(),
                observer: seen
            )
            let own = try await server.start()[0].port
            port.withLock { $0 = own }
            var client = try await RawConnection.connect(to: own)
            for path in paths {
                try await client.write("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(own)\r\n\r\n")
                _ = try await client.readAnswer()
            }
            await server.settle()
            await client.close()
            await server.stop()
        }
        let named = seen.all.filter { input in
            if case .unreadable(.issuer) = input.kind { true } else { false }
        }
        #expect(named.count == count)
    }
}
