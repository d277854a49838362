import Basics
import Foundation
import Model
import NIOSSL
import Platform
import Profiles
import TestSupport
import Testing

@testable import Observer
@testable import Proxy

/// A forward proxy that opens `localhost` and the names below it, and nothing else.
@Suite("Forward proxy: connections", .timeLimit(.minutes(20)))
struct ForwardProxyTests {
    /// Runs a forward proxy as long as `body` runs.
    private static func withForwardProxy(
        to hosts: String = "localhost",
        trust: TrustRoots = .system,
        allowsNear: Bool = false,
        seen: RecordedTraffic = RecordedTraffic(),
        _ body: (_ proxy: Int, _ authority: LocalAuthority) async throws -> Void
    ) async throws {
        let named = try ForwardedHosts(parsing: [hosts])
        let authority = try LocalAuthority.forRun(of: named, at: LiveTimekeeper().moment.wall)
        var configuration = ProxyConfiguration(trust: trust)
        configuration.forward = ProxyConfiguration.Forward(named, port: 0, authority: authority)
        configuration.forward?.allowsNear = allowsNear
        let server = ProxyServer(
            [],
            configuration: configuration,
            timekeeper: LiveTimekeeper(),
            observer: seen
        )
        _ = try await server.start()
        let port = try #require(await server.forwardPort)
        do {
            try await body(port, authority)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    @Sendable private static func serve(_ connection: inout RawConnection) async throws {
        while true {
            let head = try await connection.readHead()
            try await connection.write(
                "HTTP/1.1 200 OK\r\nLocation: https://elsewhere.example/\r\n"
                    + "Set-Cookie: sid=1; Domain=example.com; Secure\r\n"
                    + "Content-Length: \(head.utf8.count)\r\n\r\n\(head)"
            )
        }
    }

    @Test("a tunnel to a named host is opened, and its messages are as the app sent them")
    func opened() async throws {
        let seen = RecordedTraffic()
        try await withOrigin(serve: Self.serve) { port in
            try await Self.withForwardProxy(seen: seen) { proxy, _ in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write("CONNECT localhost:\(port) HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await client.readHead().hasPrefix("HTTP/1.1 200 "))
                let request =
                    "GET /a?b=c HTTP/1.1\r\nHost: other.example\r\nOrigin: https://page.example\r\n"
                    + "Cookie: a=b\r\n\r\n"
                for _ in 0..<2 {
                    try await client.write(request)
                    let answer = try await client.readAnswer()
                    #expect(answer.hasSuffix("\r\n\r\n\(request)"), "\(answer)")
                    #expect(
                        answer.contains("\r\nSet-Cookie: sid=1; Domain=example.com; Secure\r\n")
                    )
                }
                await client.close()
            }
        }
        #expect(seen.words.contains("2 GET /a?b=c"))
        guard case .requestHead(let request, _, _)? = seen.all.first?.kind else {
            Issue.record("no head")
            return
        }
        #expect(request.origin?.hasPrefix("http://localhost:") == true)
    }

    @Test(
        "a tunnel to any other host passes unseen, in both directions, with its ends",
        arguments: [RawConnection.End.finished, .reset]
    )
    func blind(end: RawConnection.End) async throws {
        let seen = RecordedTraffic()
        // More than the system holds for an app that does not read.
        let farewell = [UInt8](repeating: 1, count: end == .finished ? 16 << 20 : 0)
        try await withOrigin { connection in
            let bytes = try await connection.read(5)
            try await connection.write(Array(bytes.reversed()))
            #expect(await connection.readToEnd().end == .finished)
            guard end == .finished else { return try await connection.reset() }
            try await connection.write(farewell)
        } body: { port in
            try await Self.withForwardProxy(to: "api.example.com", allowsNear: true, seen: seen) {
                proxy,
                _ in
                var client = try await RawConnection.connect(to: proxy)
                try await client.write("CONNECT 127.0.0.1:\(port) HTTP/1.1\r\nHost: a\r\n\r\nhello")
                #expect(try await client.readHead().hasPrefix("HTTP/1.1 200 "))
                #expect(try await client.read(5) == Array("olleh".utf8))
                try await client.finish()
                let received = await client.readToEnd()
                #expect(received.end == end)
                #expect(received.bytes.count == farewell.count)
            }
        }
        #expect(seen.all.map(\.exchange) == [0])
    }

    @Test("a request with a URL goes to its server, and is seen only if the host is named")
    func absolute() async throws {
        let seen = RecordedTraffic()
        try await withOrigin(serve: Self.serve) { port in
            try await Self.withForwardProxy(allowsNear: true, seen: seen) { proxy, _ in
                var client = try await RawConnection.connect(to: proxy)
                for host in ["127.0.0.1", "localhost", "127.0.0.1"] {
                    let fields = "Host: \(host):\(port)\r\nAccept: */*\r\n"
                    try await client.write(
                        "GET http://\(host):\(port)/\(host)?q HTTP/1.1\r\n\(fields)"
                            + "Proxy-Connection: keep-alive\r\n\r\n"
                    )
                    let answer = try await client.readAnswer()
                    #expect(
                        answer.hasSuffix("\r\n\r\nGET /\(host)?q HTTP/1.1\r\n\(fields)\r\n"),
                        "\(answer)"
                    )
                }
                await client.close()
            }
        }
        #expect(seen.words.filter { $0.contains("GET") } == ["1 GET /localhost?q"])
    }

    @Test(
        "what names no server is told what the port is",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 421),
            ("CONNECT nonsense HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("CONNECT localhost:1 HTTP/1.0\r\nnonsense\r\n\r\n", 400),
            ("GET https://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 421),
            ("CONNECT 127.1:443 HTTP/1.1\r\nHost: a\r\n\r\n", 502),
            ("CONNECT 0x7f000001:443 HTTP/1.1\r\nHost: a\r\n\r\n", 502),
            ("CONNECT 2130706433:443 HTTP/1.1\r\nHost: a\r\n\r\n", 502),
            ("CONNECT a.invalid:443 HTTP/1.1\r\nHost: a\r\n\r\n", 502),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505), ("\u{16}\u{3}\u{1}", 400),
            ("\u{5}\u{1}", 400),
        ]
    )
    func refused(request: String, status: Int) async throws {
        try await Self.withForwardProxy { proxy, _ in
            var client = try await RawConnection.connect(to: proxy)
            try await client.write(request)
            let received = await client.readToEnd()
            #expect(received.text.hasPrefix("HTTP/1.1 \(status) "), "\(received.text)")
        }
    }

    @Test(
        "this machine, its link and ports of other services are reached only if they are named",
        arguments: [
            "127.0.0.1", "localhost", "api.localhost", "[::1]", "0.0.0.0", "[::]",
            "[::ffff:127.0.0.1]", "169.254.169.254", "[fe80::1]", "192.0.2.1:25",
            "a.example:22",
        ]
    )
    func guarded(host: String) async throws {
        let seen = RecordedTraffic()
        try await withOrigin { _ in
            Issue.record("it was reached")
        } body: { port in
            try await Self.withForwardProxy(to: "api.example.com", seen: seen) { proxy, _ in
                let server = RequestHost(host)?.port == nil ? "\(host):\(port)" : host
                for request in ["CONNECT \(server)", "GET http://\(server)/"] {
                    var client = try await RawConnection.connect(to: proxy)
                    try await client.write("\(request) HTTP/1.1\r\nHost: \(server)\r\n\r\n")
                    let answer = await client.readToEnd().text
                    #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(answer)")
                    #expect(answer.contains("if --forward names it"))
                }
            }
        }
        let subjects = seen.all.map { input -> Omission.Subject? in
            if case .unreadable(let subject) = input.kind { subject } else { nil }
        }
        #expect(subjects == [.refusedTunnels, .refusedTunnels])
    }

    @Test(
        "a name that turns out to be this machine is not reached",
        .enabled(if: Self.ownName != nil, "the name of this machine is not 127.0.0.1")
    )
    func resolved() async throws {
        let name = try #require(Self.ownName)
        try await withOrigin { connection in
            #expect(await connection.readToEnd().text.isEmpty)
        } body: { port in
            try await Self.withForwardProxy(to: "api.example.com") { proxy, _ in
                for request in ["CONNECT \(name):\(port)", "GET http://\(name):\(port)/"] {
                    var client = try await RawConnection.connect(to: proxy)
                    try await client.write("\(request) HTTP/1.1\r\nHost: \(name)\r\n\r\n")
                    let answer = await client.readToEnd().text
                    #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(answer)")
                }
            }
        }
    }

    /// The name of this machine, if it resolves to 127.0.0.1.
    private static let ownName: String? = {
        let name = ProcessInfo.processInfo.hostName
        let isOwn = Host(name: name).addresses.contains("127.0.0.1")
        return isOwn && RequestHost(name)?.isLoopback == false ? name : nil
    }()

    @Test("the proxy does not lead to itself, even if it is named")
    func loop() async throws {
        try await Self.withForwardProxy { proxy, _ in
            for request in [
                "CONNECT localhost:\(proxy) HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET http://localhost:\(proxy)/ HTTP/1.1\r\nHost: a\r\n\r\n",
            ] {
                var client = try await RawConnection.connect(to: proxy)
                try await client.write(request)
                let answer = await client.readToEnd().text
                #expect(answer.contains("HTTP/1.1 502 "), "\(answer)")
                #expect(answer.contains("is the proxy itself"))
            }
        }
    }

    @Test(
        "a request goes where its URL says, whatever its Host says",
        arguments: [
            ("GET", "?a=b", "/?a=b"), ("GET", "", "/"), ("OPTIONS", "", "*"), ("OPTIONS", "/", "/"),
        ]
    )
    func host(method: String, rest: String, target: String) async throws {
        try await withOrigin(serve: Self.serve) { port in
            try await Self.withForwardProxy { proxy, _ in
                var client = try await RawConnection.connect(to: proxy)
                let url = "http://localhost:\(port)\(rest)"
                try await client.write("\(method) \(url) HTTP/1.1\r\nHost: admin.example\r\n\r\n")
                let answer = try await client.readAnswer()
                let seen = "\(method) \(target) HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n"
                #expect(answer.hasSuffix("\r\n\r\n\(seen)"), "\(answer)")
                await client.close()
            }
        }
    }

    @Test(
        "what is not for the host of an opened tunnel does not pass through it",
        arguments: ["GET http://other.example/ HTTP/1.1", "CONNECT other.example:443 HTTP/1.1"]
    )
    func smuggled(request: String) async throws {
        try await withOrigin(serve: Self.serve) { port in
            try await Self.withForwardProxy { proxy, _ in
                var client = try await RawConnection.connect(to: proxy)
                let connect = "CONNECT localhost:\(port) HTTP/1.1\r\nHost: a\r\n\r\n"
                try await client.write(connect + "\(request)\r\nHost: other.example\r\n\r\n")
                #expect(try await client.readHead().hasPrefix("HTTP/1.1 200 "))
                let answer = await client.readToEnd().text
                #expect(answer.hasPrefix("HTTP/1.1 421 "), "\(answer)")
            }
        }
    }

    @Test("curl, requests and fetch trust the authority of the run, and get the backend's answer")
    func secure() async throws {
        let seen = RecordedTraffic()
        try await withFolder { folder in
            let backend = try LocalAuthority.fresh(at: LiveTimekeeper().moment.wall)
            try folder.write("backend.pem", backend.certificatePEM)
            let tls = try backend.serverContext(at: LiveTimekeeper().moment.wall).http1
            let trust = try TrustRoots(caFile: folder.path("backend.pem"))
            try await withOrigin(tls: tls, serve: Self.serve) { port in
                try await Self.withForwardProxy(trust: trust, seen: seen) { proxy, authority in
                    try folder.write("ca.pem", authority.certificatePEM)
                    let address = "http://127.0.0.1:\(proxy)"
                    let url = "https://localhost:\(port)/a"
                    let curl = try Program(
                        "/usr/bin/curl",
                        ["-sS", "--proxy", address, "--cacert", folder.path("ca.pem"), url]
                    )
                    #expect(try await curl.ended() == .exit(0), "\(curl.errors.text)")
                    #expect(curl.output.text.hasPrefix("GET /a HTTP/1.1\r\n"))
                    guard await Program.pythonHas("requests") else { return }
                    let code =
                        "import requests; print(requests.get('\(url)', "
                        + "proxies={'https': '\(address)'}, verify='\(folder.path("ca.pem"))').text)"
                    let python = try Program(Program.python, ["-c", code])
                    #expect(try await python.ended() == .exit(0), "\(python.errors.text)")
                }
            }
        }
        #expect(seen.words.contains("1 GET /a"))
    }

    @Test(
        "an opened tunnel carries HTTP/2 where the backend speaks it, with TLS and without",
        arguments: ["--http2", "--http2-prior-knowledge"]
    )
    func multiplexed(option: String) async throws {
        let seen = RecordedTraffic()
        let isSecure = option == "--http2"
        try await withFolder { folder in
            let backend = try LocalAuthority.fresh(at: LiveTimekeeper().moment.wall)
            try folder.write("backend.pem", backend.certificatePEM)
            let tls = try backend.serverContext(at: LiveTimekeeper().moment.wall).http2
            let trust = try TrustRoots(caFile: folder.path("backend.pem"))
            try await withHTTP2Origin(tls: isSecure ? tls : nil) { stream in
                let head = try await stream.head()
                try await stream.write([(":status", "200"), ("location", "https://a.example/")])
                try await stream.write("\(head)")
                try await stream.write([("grpc-status", "16")], ends: true)
            } body: { port in
                try await Self.withForwardProxy(trust: trust, seen: seen) { proxy, authority in
                    try folder.write("ca.pem", authority.certificatePEM)
                    let scheme = isSecure ? "https" : "http"
                    let url = "\(scheme)://localhost:\(port)"
                    // curl 7.88 uses a connection of prior knowledge once.
                    let curl = try Program(
                        "/usr/bin/curl",
                        [
                            "-sSi", option, "--proxytunnel", "--proxy", "http://127.0.0.1:\(proxy)",
                            "--cacert", folder.path("ca.pem"), "\(url)/a",
                        ] + (isSecure ? ["\(url)/b"] : [])
                    )
                    #expect(try await curl.ended() == .exit(0), "\(curl.errors.text)")
                    let output = curl.output.text
                    #expect(output.contains("HTTP/2 200 \r\nlocation: https://a.example/\r\n"))
                    let request =
                        "\":method: GET\", \":scheme: \(scheme)\", \":authority: localhost:\(port)\""
                    #expect(output.contains("\(request), \":path: /a\""), "\(output)")
                }
            }
        }
        let words = seen.words
        #expect(words.contains("1 GET /a"), "\(words)")
        #expect(words.contains("2 GET /b") == isSecure, "\(words)")
        #expect(words.contains("1 trailers grpc-status: 16"), "\(words)")
    }
}
