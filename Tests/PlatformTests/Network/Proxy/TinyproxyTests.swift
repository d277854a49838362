import Basics
import Client
import FeedTestSupport
import Foundation
import HTTP
import Model
import Profiles
import TestSupport
import Testing

@testable import Platform

/// Debian's tinyproxy before a server with TLS.
@Suite(
    "Network: a proxy",
    .enabled(if: Tinyproxy.isInstalled),
    .timeLimit(.minutes(20))
)
struct TinyproxyTests {
    @Test("requests and the feed go through it, and the server's certificate is checked")
    func tunnel() async throws {
        try await CertificateAuthority.with { authority in
            let trust = try TrustRoots(caFile: authority.caFile)
            try await Tinyproxy.with { proxy in
                try await ScriptedServer.run(
                    [[.readRequest, .send(.okAnswer), .hold]],
                    tls: authority.server
                ) { server in
                    try await withTestNetwork(trust: trust, proxies: proxy.settings()) {
                        let origin = try BackendOrigin(
                            parsing: "https://localhost:\(server.port)"
                        )
                        let report = await $0.tokenTransport(to: origin).send(.refresh)
                        #expect(report.answer?.status == 200, "\(report.notSent ?? "")")
                    }
                    #expect(try proxy.tunnels == ["localhost:\(server.port)"])
                }
                try await FeedServer.run(
                    tls: authority.server,
                    serve: { try? await $0.send(text: "hello") }
                ) { server in
                    try await withTestNetwork(trust: trust, proxies: proxy.settings()) {
                        let origin = try BackendOrigin(
                            parsing: "https://localhost:\(server.port)"
                        )
                        let dial = try await $0.feedTransport(to: origin)
                            .dial(.plain, deadline: liveTime.now + .seconds(30))
                        #expect(dial.connection != nil, "\(dial.failure ?? "")")
                    }
                    #expect(try proxy.tunnels.contains("localhost:\(server.port)"))
                }
                try await ScriptedServer.run([[.readRequest]], tls: authority.selfSigned) {
                    server in
                    try await withTestNetwork(proxies: proxy.settings()) {
                        let origin = try BackendOrigin(
                            parsing: "https://localhost:\(server.port)"
                        )
                        let report = await $0.tokenTransport(to: origin).send(.refresh)
                        #expect(report.notSent?.hasPrefix("certificate not trusted") == true)
                        #expect(server.requests.isEmpty)
                    }
                }
            }
        }
    }

    @Test("a user and a password are sent to it, and missing or wrong ones are named")
    func credentials() async throws {
        try await CertificateAuthority.with { authority in
            let trust = try TrustRoots(caFile: authority.caFile)
            try await Tinyproxy.with("BasicAuth ada pr0xy-s3cr3t") { proxy in
                try await ScriptedServer.run(
                    [[.readRequest, .send(.okAnswer), .hold]],
                    tls: authority.server
                ) { server in
                    let origin = try BackendOrigin(parsing: "https://127.0.0.1:\(server.port)")
                    let wants = "wants a user and a password: http://USER:PASSWORD@HOST:PORT"
                    for (user, problem) in [
                        ("ada:pr0xy-s3cr3t@", nil), ("", wants),
                        // tinyproxy answers 401 in place of 407.
                        ("ada:wrong@", "does not connect to 127.0.0.1:\(server.port)"),
                    ] {
                        let expected = problem.map {
                            "the proxy 127.0.0.1:\(proxy.port) (HTTPS_PROXY) \($0)"
                        }
                        try await withTestNetwork(trust: trust, proxies: proxy.settings(user)) {
                            let report = await $0.tokenTransport(to: origin).send(.refresh)
                            #expect(report.notSent == expected)
                            #expect((report.answer?.status == 200) == (expected == nil))
                            let dial = try await $0.feedTransport(to: origin)
                                .dial(.plain, deadline: liveTime.now + .seconds(30))
                            #expect(dial.failure == expected)
                        }
                    }
                }
            }
        }
    }

    @Test("one that refuses the tunnel, or is not there, is named, and nothing is sent")
    func refusals() async throws {
        try await ScriptedServer.run([[.readRequest]]) { server in
            let origin = try BackendOrigin(parsing: "https://127.0.0.1:\(server.port)")
            try await Tinyproxy.with("ConnectPort 1") { proxy in
                try await withTestNetwork(proxies: proxy.settings()) {
                    let expected =
                        "the proxy 127.0.0.1:\(proxy.port) (HTTPS_PROXY) does not connect to "
                        + "127.0.0.1:\(server.port)"
                    #expect(await $0.tokenTransport(to: origin).send(.refresh).notSent == expected)
                    let dial = try await $0.feedTransport(to: origin)
                        .dial(.plain, deadline: liveTime.now + .seconds(30))
                    #expect(dial.failure == expected)
                }
            }
            let gone = try ProxySettings(variables: ["HTTPS_PROXY": "127.0.0.1:1"])
            try await withTestNetwork(proxies: gone) {
                let expected = "connection refused by the proxy 127.0.0.1:1 (HTTPS_PROXY)"
                #expect(await $0.tokenTransport(to: origin).send(.refresh).notSent == expected)
                let dial = try await $0.feedTransport(to: origin)
                    .dial(.plain, deadline: liveTime.now + .seconds(30))
                #expect(dial.failure == expected)
            }
            #expect(server.requests.isEmpty)
        }
    }
}

/// A proxy on a free port of 127.0.0.1.
private struct Tinyproxy {
    static let path = "/usr/bin/tinyproxy"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    let port: Int
    private let logFile: String

    /// Runs one as long as `body` runs.
    static func with<Value>(
        _ setting: String = "",
        _ body: (Tinyproxy) async throws -> Value
    ) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("authtop-proxy-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Below the ports that the system gives to others meanwhile.
        let port = Int.random(in: 20_000..<30_000)
        let log = folder.appendingPathComponent("log").path
        let file = folder.appendingPathComponent("settings").path
        let text =
            "Port \(port)\nListen 127.0.0.1\nTimeout 60\nMaxClients 20\nLogFile \"\(log)\"\n"
            + "LogLevel Info\n\(setting)\n"
        try Data(text.utf8).write(to: URL(filePath: file))
        let program = try Program(path, ["-d", "-c", file])
        let proxy = Tinyproxy(port: port, logFile: log)
        let result: Result<Value, any Error>
        do {
            try await eventually("the proxy listens", evidence: { program.errors.text }) {
                let text = try? String(contentsOfFile: log, encoding: .utf8)
                return text?.contains("Accepting connections") == true ? true : nil
            }
            result = .success(try await body(proxy))
        } catch {
            result = .failure(error)
        }
        await program.stop()
        return try result.get()
    }

    func settings(_ user: String = "") throws -> ProxySettings {
        try ProxySettings(variables: ["HTTPS_PROXY": "http://\(user)127.0.0.1:\(port)"])
    }

    /// The servers that tunnels were opened to.
    var tunnels: [String] {
        get throws {
            try String(contentsOfFile: logFile, encoding: .utf8).split(separator: "\n")
                .compactMap { line in
                    line.firstMatch(of: /CONNECT ([^ ]+) HTTP/).map { String($0.1) }
                }
        }
    }
}
