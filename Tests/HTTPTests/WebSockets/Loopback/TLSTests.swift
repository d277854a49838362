import Foundation
import NIOPosix
import NIOSSL
import TestSupport
import Testing

@testable import HTTP

/// A certificate for 127.0.0.1 and localhost, signed by itself.
private struct SelfSigned {
    let server: NIOSSLContext
    let trustingClient: NIOSSLContext
    let doubtingClient: NIOSSLContext

    init() async throws {
        let folder = URL(filePath: NSTemporaryDirectory()).appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Program.run(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes", "-keyout", folder.appending(path: "key.pem").path(),
                "-out", folder.appending(path: "certificate.pem").path(), "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
            ]
        )
        let certificates = try NIOSSLCertificate.fromPEMFile(
            folder.appending(path: "certificate.pem").path()
        )
        let key = try NIOSSLPrivateKey(
            file: folder.appending(path: "key.pem").path(),
            format: .pem
        )
        server = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: certificates.map { .certificate($0) },
                privateKey: .privateKey(key)
            )
        )
        var trusting = TLSConfiguration.makeClientConfiguration()
        trusting.trustRoots = .certificates(certificates)
        trustingClient = try NIOSSLContext(configuration: trusting)
        doubtingClient = try NIOSSLContext(configuration: .makeClientConfiguration())
    }
}

private let hasOpenSSL = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

@Suite("wss", .timeLimit(.minutes(20)), .enabled(if: hasOpenSSL))
struct TLSTests {
    private static func request(_ port: Int, host: String = "127.0.0.1") -> WebSocketRequest {
        WebSocketRequest(scheme: .wss, host: host, port: port)
    }

    @Test(
        "a trusted server is spoken to, by name and by address",
        arguments: ["127.0.0.1", "localhost"]
    )
    func trusted(host: String) async throws {
        let certificate = try await SelfSigned()
        try await withServer(tls: certificate.server, serve: WebSocketConnection.echo) { port in
            let dialer = WebSocketDialer.unpredictable(tls: certificate.trustingClient)
            let connection = try await dialer.open(Self.request(port, host: host))
            var events = connection.events.makeAsyncIterator()
            let bytes = [UInt8](repeating: 5, count: 1 << 20)
            try await connection.send(binary: bytes)
            #expect(await events.next() == .binary(bytes))
            let report = await connection.close(code: 4000, reason: "done")
            #expect(report.code == 4000)
            #expect(report.clean)
        }
    }

    @Test("the server's close arrives with its code")
    func serverCloses() async throws {
        let certificate = try await SelfSigned()
        try await withServer(tls: certificate.server) { connection in
            await connection.close(code: 4401, reason: "expired")
        } body: { port in
            let dialer = WebSocketDialer.unpredictable(tls: certificate.trustingClient)
            let connection = try await dialer.open(Self.request(port))
            var events = connection.events.makeAsyncIterator()
            #expect(
                await events.next()
                    == .closed(
                        WebSocketCloseReport(
                            code: 4401,
                            reason: "expired",
                            initiator: .peer,
                            clean: true
                        )
                    )
            )
        }
    }

    @Test("a dropped connection ends for both")
    func dropped() async throws {
        let certificate = try await SelfSigned()
        let (ends, ending) = AsyncStream.makeStream(of: WebSocketEvent.self)
        try await withServer(tls: certificate.server) { connection in
            try? await connection.send(text: "here")
            for await event in connection.events { ending.yield(event) }
        } body: { port in
            let dialer = WebSocketDialer.unpredictable(tls: certificate.trustingClient)
            let connection = try await dialer.open(Self.request(port))
            var events = connection.events.makeAsyncIterator()
            #expect(await events.next() == .text("here"))
            connection.drop()
            guard case .closed(let report) = await ends.first(where: { _ in true }) else {
                Issue.record("no end")
                return
            }
            #expect(report.code == 1006)
            #expect(report.initiator == .transport)
        }
    }

    @Test("a certificate that is not trusted is a failure of TLS")
    func untrusted() async throws {
        let certificate = try await SelfSigned()
        try await withServer(tls: certificate.server, serve: WebSocketConnection.echo) { port in
            let dialer = WebSocketDialer.unpredictable(tls: certificate.doubtingClient)
            await #expect {
                try await dialer.dial(Self.request(port), timeout: .seconds(20))
            } throws: { error in
                guard case WebSocketDialError.tlsFailed = error else { return false }
                return true
            }
        }
    }

    @Test("a server without TLS is a failure of TLS")
    func plain() async throws {
        let certificate = try await SelfSigned()
        try await withRawServer { peer in
            _ = try await peer.read(5)
            try await peer.write("HTTP/1.1 400 Bad Request\r\n\r\n")
        } body: { port in
            let dialer = WebSocketDialer.unpredictable(tls: certificate.trustingClient)
            await #expect {
                try await dialer.dial(Self.request(port), timeout: .seconds(20))
            } throws: { error in
                guard case WebSocketDialError.tlsFailed = error else { return false }
                return true
            }
        }
    }

    @Test("a server that is silent instead of shaking hands is given up after the limit")
    func silent() async throws {
        let certificate = try await SelfSigned()
        try await withRawServer { peer in
            _ = await peer.readToEnd()
        } body: { port in
            let dialer = WebSocketDialer.unpredictable(tls: certificate.trustingClient)
            await #expect(throws: WebSocketDialError.timedOut) {
                try await dialer.dial(Self.request(port), timeout: .milliseconds(200))
            }
        }
    }

    @Test("without TLS to use, wss is not tried")
    func withoutTLS() async {
        await #expect(throws: WebSocketDialError.invalidRequest("wss without TLS")) {
            try await WebSocketDialer.unpredictable().dial(Self.request(1), timeout: .seconds(20))
        }
    }
}
