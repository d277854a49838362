import Basics
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Platform
import Profiles
import Synchronization
import TestSupport
import Testing

@testable import Proxy

@Suite("Proxy: backends that cannot be reached", .timeLimit(.minutes(20)))
struct UnreachableBackendTests {
    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("a backend that refuses the connection is named in a 502, and nothing was sent")
    func refused() async throws {
        let port = try await withOrigin { _ in
        } body: {
            $0
        }
        let seen = RecordedTraffic()
        let text = try await ask(port: port, seen: seen)
        let message = "connection refused by 127.0.0.1:\(port)"
        #expect(text.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        #expect(text.contains("\r\nAuthtop-Error: authtop: \(message)\r\n"))
        #expect(text.contains("\r\nConnection: close\r\n"))
        #expect(text.hasSuffix("\r\n\r\n{\"error\":\"authtop: \(message)\"}"))
        #expect(seen.words == ["1 GET /", "1 sent 0", "1 not sent: \(message)"])
    }

    @Test("a backend that does not speak TLS is named in a 502")
    func notTLS() async throws {
        try await withOrigin { connection in
            _ = try await connection.read(5)
            try await connection.write("HTTP/1.1 400 Bad Request\r\n\r\n")
        } body: { port in
            let text = try await ask(port: port, scheme: "https")
            #expect(text.hasPrefix("HTTP/1.1 502 "))
            #expect(text.contains("127.0.0.1:\(port) does not speak TLS: is it http?"))
        }
    }

    @Test("a backend with which there is no TLS in time is named in a 504")
    func timeout() async throws {
        try await withOrigin { connection in
            _ = await connection.readToEnd()
        } body: { port in
            let configuration = ProxyConfiguration(connectTimeout: .milliseconds(300))
            let text = try await ask(port: port, scheme: "https", configuration: configuration)
            #expect(text.hasPrefix("HTTP/1.1 504 Gateway Timeout\r\n"))
            #expect(text.contains("no connection to 127.0.0.1:\(port) within 0.3 s"))
        }
    }

    @Test("an answer to HEAD has no body")
    func head() async throws {
        let port = try await withOrigin { _ in
        } body: {
            $0
        }
        let text = try await ask(port: port, "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 502 "))
        #expect(text.hasSuffix("\r\n\r\n"))
    }

    @Test("the certificates of a backend are checked: against a file, and against its name")
    func certificates() async throws {
        try await TestCertificate.with { certificate in
            try await withOrigin(tls: certificate.server) { connection in
                while true {
                    _ = try await connection.readHead()
                    try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                }
            } body: { port in
                // Where the certificate cannot be looked at in time, several reasons are possible.
                try await eventually("the reason") {
                    let untrusted = try await ask(port: port, scheme: "https")
                    #expect(untrusted.hasPrefix("HTTP/1.1 502 "))
                    return untrusted.contains("shows one that it signed itself; --ca-file adds it")
                }
                let configuration = ProxyConfiguration(
                    trust: try TrustRoots(caFile: certificate.file)
                )
                try await withProxy(to: port, scheme: "https", configuration: configuration) {
                    proxy in
                    var client = try await RawConnection.connect(to: proxy)
                    for _ in 1...2 {
                        try await client.write(Self.get)
                        #expect(try await client.readAnswer().hasSuffix("\r\n\r\nok"))
                    }
                    await client.close()
                }
            }
        }
    }

    @Test("a backend whose key is none of the pinned ones is sent nothing, and named in a 502")
    func pinned() async throws {
        let requests = Mutex(0)
        try await TestCertificate.with { certificate in
            try await withOrigin(tls: certificate.server) { connection in
                _ = try await connection.readHead()
                requests.withLock { $0 += 1 }
            } body: { port in
                let other = KeyPin(digest: [UInt8](repeating: 0, count: 32))
                var configuration = ProxyConfiguration(
                    trust: try TrustRoots(caFile: certificate.file)
                )
                configuration.security = TransportSecurity(pins: [other], clientCertificate: nil)
                let text = try await ask(port: port, scheme: "https", configuration: configuration)
                #expect(text.hasPrefix("HTTP/1.1 502 "))
                #expect(text.contains("the key of 127.0.0.1:\(port) is not pinned"), "\(text)")
            }
        }
        #expect(requests.withLock { $0 } == 0)
    }

    @Test("the goodbye of a backend with TLS is not waited for, which may never come")
    func goodbye() async throws {
        let (open, end) = AsyncStream<Void>.makeStream()
        try await TestCertificate.with { certificate in
            try await withOrigin(tls: certificate.server) { connection in
                _ = await connection.readToEnd()
                for await _ in open {}
            } body: { port in
                defer { end.finish() }
                let loop = MultiThreadedEventLoopGroup.singleton.next()
                let connector = try OriginConnector(
                    to: BackendOrigin(parsing: "https://127.0.0.1:\(port)"),
                    trust: TrustRoots(caFile: certificate.file),
                    timekeeper: LiveTimekeeper(),
                    on: loop,
                    within: .seconds(60)
                )
                let channel = try await connector.connect { _ in }.get()
                OriginConnector.close(channel)
                // The library waits for five seconds.
                let ended = loop.makePromise(of: Bool.self)
                loop.scheduleTask(in: .seconds(4)) { ended.succeed(false) }
                channel.closeFuture.whenComplete { _ in ended.succeed(true) }
                #expect(try await ended.futureResult.get())
            }
        }
    }

    @Test(
        "a backend that wants a certificate of the client is named, and told of where it says so",
        arguments: [TLSVersion.tlsv12, .tlsv13]
    )
    func mutual(version: TLSVersion) async throws {
        let seen = RecordedTraffic()
        try await TestCertificate.with(mutual: version) { certificate in
            try await withOrigin(tls: certificate.server) { connection in
                _ = try await connection.readHead()
            } body: { port in
                let configuration = ProxyConfiguration(
                    trust: try TrustRoots(caFile: certificate.file)
                )
                let text = try await ask(
                    port: port,
                    scheme: "https",
                    configuration: configuration,
                    seen: seen
                )
                #expect(text.hasPrefix("HTTP/1.1 502 "))
                #expect(text.contains("wants a certificate of the client"), "\(text)")
            }
        }
        let isTold = seen.words.contains("0 unreadable mutualTLS")
        #expect(isTold == (version == .tlsv13), "\(seen.words)")
    }

    @Test("a proxy before itself does not start, nor one on a port in use")
    func starts() async throws {
        let port = try await withOrigin { _ in
        } body: {
            $0
        }
        let itself = try BackendOrigin(parsing: "http://localhost:\(port)/a")
        let server = ProxyServer(
            [ProxiedOrigin(itself, port: port)],
            timekeeper: LiveTimekeeper(),
            observer: RecordedTraffic()
        )
        await #expect(throws: ProxyError.loop("http://localhost:\(port)/a")) {
            try await server.start()
        }
        try await withOrigin { _ in
        } body: { port in
            let other = ProxyServer(
                [ProxiedOrigin(itself, port: port)],
                timekeeper: LiveTimekeeper(),
                observer: RecordedTraffic()
            )
            await #expect(throws: ProxyError.portInUse(host: "127.0.0.1", port: port)) {
                try await other.start()
            }
        }
    }

    @Test("an address of this machine that leads back to the proxy is recognized")
    func leadsBack() async throws {
        let devices = try System.enumerateDevices()
        let address = devices.compactMap { $0.address?.ipAddress }
            .first { $0.contains(".") && !$0.hasPrefix("127.") }
        guard let address else { return }
        let port = try await withOrigin { _ in
        } body: {
            $0
        }
        let itself = try BackendOrigin(
            parsing: "http://\(address):\(port)",
            allowInsecure: true
        )
        var configuration = ProxyConfiguration()
        configuration.host = "0.0.0.0"
        configuration.allowedHosts = ["a"]
        let seen = RecordedTraffic()
        let server = ProxyServer(
            [ProxiedOrigin(itself, port: port)],
            configuration: configuration,
            timekeeper: LiveTimekeeper(),
            observer: seen
        )
        _ = try await server.start()
        var client = try await RawConnection.connect(to: port)
        try await client.write(Self.get)
        let received = await client.readToEnd()
        #expect(received.text.hasPrefix("HTTP/1.1 502 "))
        #expect(received.text.contains("http://\(address):\(port) is the proxy itself"))
        await client.close()
        await server.stop()
        #expect(seen.words.first == "1 GET /")
        #expect(seen.words.count { $0.contains("GET") } == 1)
    }

    private func ask(
        port: Int,
        _ request: String = get,
        scheme: String = "http",
        configuration: ProxyConfiguration? = nil,
        seen: RecordedTraffic = RecordedTraffic()
    ) async throws -> String {
        try await withProxy(to: port, scheme: scheme, configuration: configuration, seen: seen) {
            proxy in
            var client = try await RawConnection.connect(to: proxy)
            try await client.write(request)
            let received = await client.readToEnd()
            await client.close()
            #expect(received.end == .finished)
            return received.text
        }
    }
}

/// A server's certificate for 127.0.0.1 that it signed itself.
private struct TestCertificate {
    let file: String
    let server: NIOSSLContext

    /// The server wants a certificate of the client, over a version of TLS, if that is given.
    static func with<Value>(
        mutual version: TLSVersion? = nil,
        _ body: (TestCertificate) async throws -> Value
    ) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("authtop-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("server.pem").path
        let key = folder.appendingPathComponent("server.key").path
        try await Program.shell(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
                + "-subj /CN=server -addext subjectAltName=IP:127.0.0.1 "
                + "-keyout \(key) -out \(file)"
        )
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(file).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
        )
        if let version {
            configuration.maximumTLSVersion = version
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .file(file)
        }
        return try await body(
            TestCertificate(file: file, server: NIOSSLContext(configuration: configuration))
        )
    }
}
