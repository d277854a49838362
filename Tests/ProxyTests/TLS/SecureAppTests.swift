import Basics
import Foundation
import NIOSSL
import Platform
import TestSupport
import Testing

@testable import Proxy

@Suite("Proxy: apps that use TLS", .timeLimit(.minutes(20)))
struct SecureAppTests {
    /// Runs a proxy with TLS before an origin.
    private static func withSecureProxy(
        seen: RecordedTraffic = RecordedTraffic(),
        serve: @escaping @Sendable (inout RawConnection) async throws -> Void,
        _ body: (Int, NIOSSLContext) async throws -> Void
    ) async throws {
        let authority = try LocalAuthority.fresh(at: LiveTimekeeper().moment.wall)
        var configuration = ProxyConfiguration()
        configuration.authority = authority
        var trusting = TLSConfiguration.makeClientConfiguration()
        let certificate = try NIOSSLCertificate(
            bytes: Array(authority.certificatePEM.utf8),
            format: .pem
        )
        trusting.trustRoots = .certificates([certificate])
        let tls = try NIOSSLContext(configuration: trusting)
        try await withOrigin(serve: serve) { port in
            try await withProxy(to: port, configuration: configuration, seen: seen) { proxy in
                try await body(proxy, tls)
            }
        }
    }

    private static let request = "GET /a HTTP/1.1\r\nHost: authtop.localhost:1\r\n\r\n"

    @Test("requests go on with http, and answers come back with https")
    func exchange() async throws {
        try await Self.withSecureProxy { connection in
            let head = try await connection.readHead()
            let host = head.split(separator: "\r\n").first { $0.hasPrefix("Host: ") } ?? ""
            try await connection.write(
                "HTTP/1.1 302 Found\r\nLocation: http://\(host.dropFirst(6))/b\r\n"
                    + "Set-Cookie: __Host-sid=x; Secure; Path=/; SameSite=None\r\n"
                    + "Content-Length: 0\r\n\r\n"
            )
            _ = await connection.readToEnd()
        } _: { proxy, tls in
            var client = try await RawConnection.connect(to: proxy, tls: tls)
            try await client.write(Self.request)
            let head = try await client.readAnswer()
            #expect(head.contains("\r\nLocation: https://authtop.localhost:1/b\r\n"), "\(head)")
            #expect(head.contains("\r\nSet-Cookie: __Host-sid=x; Secure; Path=/; SameSite=None"))
            await client.close()
        }
    }

    @Test("BoringSSL's verifier, as SwiftNIO uses it, takes the name and refuses the address")
    func address() async throws {
        try await Self.withSecureProxy { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        } _: { proxy, tls in
            for name in ["localhost", nil] {
                var client = try await RawConnection.connect(to: proxy, tls: tls, name: name)
                try? await client.write(Self.request)
                let received = await client.readToEnd()
                #expect(received.text.hasPrefix("HTTP/1.1 200 ") == (name != nil))
                await client.close()
            }
        }
    }

    @Test("an app that refuses the certificate is told of, and nothing goes to the backend")
    func untrusted() async throws {
        let seen = RecordedTraffic()
        try await Self.withSecureProxy(seen: seen) { _ in
        } _: { proxy, _ in
            let tls = try NIOSSLContext(configuration: .makeClientConfiguration())
            var client = try await RawConnection.connect(to: proxy, tls: tls)
            try? await client.write(Self.request)
            _ = await client.readToEnd()
            await client.close()
            #expect(try await seen.words(1) == ["0 unreadable untrusted"])
        }
    }

    @Test("so is a client whose alert is in clear text, as of OpenSSL", arguments: ["1.2", "1.3"])
    func untrustedCurl(version: String) async throws {
        let seen = RecordedTraffic()
        try await Self.withSecureProxy(seen: seen) { _ in
        } _: { proxy, _ in
            let options = "-s --tlsv\(version) --tls-max \(version)"
            try await Program.shell("curl \(options) https://localhost:\(proxy)/ || true")
            #expect(try await seen.words(1) == ["0 unreadable untrusted"])
        }
    }

    @Test("an app without TLS is told to use it, and nothing goes to the backend")
    func clearText() async throws {
        let seen = RecordedTraffic()
        try await Self.withSecureProxy(seen: seen) { _ in
        } _: { proxy, _ in
            var client = try await RawConnection.connect(to: proxy)
            try await client.write(Self.request)
            let received = await client.readToEnd()
            #expect(received.text.hasPrefix("HTTP/1.1 400 "))
            #expect(received.text.contains("use https://"))
            #expect(received.end == .finished)
            await client.close()
        }
        #expect(seen.words == ["0 unreadable clearText"])
    }

    @Test("bytes of all kinds pass in both directions", arguments: [0, 1, 16_384, 3_000_001])
    func bodies(size: Int) async throws {
        let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        try await Self.withSecureProxy { connection in
            _ = try await connection.readHead()
            let bytes = try await connection.read(size)
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            try await connection.write(bytes)
            _ = await connection.readToEnd()
        } _: { proxy, tls in
            var client = try await RawConnection.connect(to: proxy, tls: tls)
            try await client.write(
                "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(size)\r\n\r\n"
            )
            try await client.write(body)
            let head = try await client.readHead()
            #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(try await client.read(size) == body)
            await client.close()
        }
    }

    @Test("the end of the backend's connection is the end of the app's, reset or not")
    func ends() async throws {
        for isReset in [false, true] {
            let (whenRead, read) = AsyncStream.makeStream(of: Void.self)
            try await Self.withSecureProxy { connection in
                _ = try await connection.readHead()
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab")
                // A reset may overtake what was sent before.
                for await _ in whenRead { break }
                if isReset { try await connection.reset() }
            } _: { proxy, tls in
                var client = try await RawConnection.connect(to: proxy, tls: tls)
                try await client.write(Self.request)
                _ = try await client.readHead()
                #expect(try await client.read(2) == Array("ab".utf8))
                read.finish()
                #expect(await client.readToEnd().end == (isReset ? .reset : .finished))
                await client.close()
            }
        }
    }
}
