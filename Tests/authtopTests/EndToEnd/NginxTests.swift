import Foundation
import Glibc
import TestSupport
import Testing

/// The sandbox behind nginx with TLS, which demands a certificate, with tinyproxy in between.
@Suite("A backend behind nginx and a proxy", .programs, .enabled(if: Gateway.isInstalled))
struct NginxTests {
    @Test("is watched through a rotation by a profile that names pin, certificate and key")
    func watched() async throws {
        try await withBench { bench in
            let gateway = try await Gateway(of: bench)
            try gateway.write(pins: [gateway.pin], to: bench)
            let watch = try gateway.watch(on: bench)
            let stream = EventStream(watch.output)
            try await stream.state("fresh")
            let renewal = try await stream.first("refreshSucceeded")
            let opened = try await stream.first("feedOpened", after: renewal)
            _ = try await stream.first("feedMessage", after: opened)
            try await watch.interrupt()
            let tunnels = try String(contentsOfFile: gateway.proxyLog, encoding: .utf8)
                .split(separator: "\n").filter { $0.contains("CONNECT localhost:\(gateway.port)") }
            // Login, renewal, requests, and two sockets.
            #expect(tunnels.count >= 4)
        }
    }

    @Test("is refused with the reason", arguments: Mistake.allCases)
    func refused(mistake: Mistake) async throws {
        try await withBench { bench in
            let gateway = try await Gateway(of: bench)
            try gateway.write(
                pins: [mistake == .otherPin ? gateway.otherPin : gateway.pin],
                host: mistake == .otherName ? "127.0.0.1" : "localhost",
                hasCertificate: mistake != .noCertificate,
                to: bench
            )
            let login = try bench.authtop(
                ["login", "mine"] + (mistake == .noAuthority ? [] : ["--ca-file", gateway.caFile]),
                with: gateway.variables
            )
            // nginx completes the handshake without a certificate, and then answers 400.
            #expect(try await login.ended() == .exit(mistake == .noCertificate ? 1 : 3))
            let said = login.errors.lines.joined(separator: " ")
            let expected =
                switch mistake {
                case .otherPin:
                    "the key of localhost:\(gateway.port) is not pinned: expected "
                        + "\(gateway.otherPin), found \(gateway.pin)"
                case .noCertificate: "400"
                case .noAuthority: "certificate not trusted: localhost:\(gateway.port)"
                case .otherName: "certificate not trusted: it is not for 127.0.0.1"
                }
            #expect(said.contains(expected), "\(said)")
        }
    }

    enum Mistake: CaseIterable { case otherPin, noCertificate, noAuthority, otherName }

    @Test("a key that others can read, or that is not the certificate's, is bad input")
    func badKey() async throws {
        try await withBench { bench in
            let gateway = try await Gateway(of: bench)
            try gateway.write(pins: [], to: bench)
            let key = gateway.folder + "/client.key"
            #expect(chmod(key, 0o644) == 0)
            let open = try bench.authtop(["login", "mine"], with: gateway.variables)
            #expect(try await open.ended() == .exit(2))
            #expect(open.errors.text.contains("\(key): "))
            #expect(chmod(key, 0o600) == 0)
            try FileManager.default.removeItem(atPath: key)
            try FileManager.default.copyItem(atPath: gateway.folder + "/server.key", toPath: key)
            let other = try bench.authtop(["login", "mine"], with: gateway.variables)
            #expect(try await other.ended() == .exit(2))
            #expect(other.errors.text.contains("is not the key of"))
        }
    }
}

/// nginx before a sandbox, and a proxy before nginx.
private struct Gateway {
    private static let nginx = "/usr/sbin/nginx"
    private static let tinyproxy = "/usr/bin/tinyproxy"

    static var isInstalled: Bool {
        [nginx, tinyproxy].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    }

    let folder: String
    let port: Int
    let proxyPort: Int
    /// By openssl.
    let pin: String
    let otherPin: String

    var caFile: String { folder + "/ca.pem" }
    var proxyLog: String { folder + "/proxy.log" }

    init(of bench: Bench) async throws {
        folder = bench.home + "/gateway"
        let sandbox = try await bench.sandbox("--access-ttl", "6s", "--dialect", "bitbasel")
        try await Program.shell(Self.certificates(in: folder))
        // Below the ports that the system gives to others meanwhile.
        port = Int.random(in: 20_000..<25_000)
        proxyPort = Int.random(in: 25_000..<30_000)
        pin = try Self.pin(folder + "/server.pin")
        otherPin = try Self.pin(folder + "/client.pin")
        let settings = try bench.write(
            """
            daemon off; master_process off; pid \(folder)/nginx.pid;
            error_log \(folder)/nginx.log;
            events {}
            http {
                access_log off;
                client_body_temp_path \(folder)/body; proxy_temp_path \(folder)/proxy;
                fastcgi_temp_path \(folder)/fastcgi; uwsgi_temp_path \(folder)/uwsgi;
                scgi_temp_path \(folder)/scgi;
                server {
                    listen 127.0.0.1:\(port) ssl http2;
                    ssl_certificate \(folder)/server.pem; ssl_certificate_key \(folder)/server.key;
                    ssl_client_certificate \(folder)/ca.pem; ssl_verify_client on;
                    location / {
                        proxy_pass http://127.0.0.1:\(sandbox.port);
                        proxy_http_version 1.1;
                        proxy_set_header Upgrade $http_upgrade;
                        proxy_set_header Connection $http_connection;
                    }
                }
            }
            """,
            to: "gateway/nginx.conf"
        )
        _ = bench.keep(try Program(Self.nginx, ["-e", folder + "/nginx.log", "-c", settings]))
        let rules = try bench.write(
            """
            Port \(proxyPort)
            Listen 127.0.0.1
            Timeout 600
            LogFile "\(proxyLog)"
            LogLevel Connect
            """,
            to: "gateway/proxy.conf"
        )
        _ = bench.keep(try Program(Self.tinyproxy, ["-d", "-c", rules]))
        for port in [port, proxyPort] {
            try await eventually("port \(port) answers") {
                (try? LoopbackSocket.connect(to: port)).map { close($0) }
            }
        }
    }

    var variables: [String: String] {
        [
            "AUTHTOP_MINE_IDENTITY_TOKEN": "sandbox",
            "HTTPS_PROXY": "http://127.0.0.1:\(proxyPort)",
        ]
    }

    func write(
        pins: [String],
        host: String = "localhost",
        hasCertificate: Bool = true,
        to bench: Bench
    ) throws {
        let certificate =
            "client_certificate = \"\(folder)/client.pem\"\nclient_key = \"\(folder)/client.key\""
        try bench.write(
            """
            extends = "bitbasel"
            base_url = "https://\(host):\(port)"
            pins = [\(pins.map { "\"\($0)\"" }.joined(separator: ", "))]
            \(hasCertificate ? certificate : "")
            """,
            to: "config/authtop/profiles/mine.toml"
        )
    }

    func watch(on bench: Bench) throws -> Program {
        try bench.authtop(
            ["watch", "mine", "--vault", "memory", "--json", "--every", "1s", "--ca-file", caFile],
            with: variables
        )
    }

    /// An authority, and a server's and a client's certificate of it, for a shell.
    private static func certificates(in folder: String) -> String {
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
        let name = "subjectAltName=DNS:localhost"
        return """
            set -e; umask 077; mkdir -p \(folder); cd \(folder)
            openssl req -x509 \(key) -subj /CN=authority -days 2 -keyout ca.key -out ca.pem
            for who in server client; do
                openssl req \(key) -subj /CN=$who -addext \(name) -keyout $who.key -out $who.csr
                openssl x509 -req -in $who.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
                    -copy_extensions copyall -out $who.pem
                openssl pkey -in $who.key -pubout -outform DER | openssl dgst -sha256 -binary \
                    | openssl base64 -A -out $who.pin
            done
            """
    }

    private static func pin(_ file: String) throws -> String {
        "sha256/" + (try String(contentsOfFile: file, encoding: .utf8))
    }
}
