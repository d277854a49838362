import Basics
import Foundation
import Platform
import TestSupport
import Testing

@testable import Proxy

private let openssl = "/usr/bin/openssl"

@Suite(
    "Proxy: the local authority",
    .enabled(if: FileManager.default.isExecutableFile(atPath: openssl))
)
struct LocalAuthorityTests {
    @Test("its certificates are those of names and addresses of this machine, says openssl")
    func names() async throws {
        try await withFolder { folder in
            let authority = try LocalAuthority.fresh(at: LiveTimekeeper().moment.wall)
            try folder.write("ca.pem", authority.certificatePEM)
            try folder.write("server.pem", authority.serverPEM(at: LiveTimekeeper().moment.wall))
            for check in [
                ["-verify_hostname", "localhost"], ["-verify_hostname", "authtop.localhost"],
                ["-verify_ip", "127.0.0.1"], ["-verify_ip", "::1"],
            ] {
                try await Program.run(
                    openssl,
                    ["verify", "-x509_strict", "-purpose", "sslserver"] + check
                        + ["-CAfile", folder.path("ca.pem"), folder.path("server.pem")]
                )
            }
        }
    }

    @Test(
        "a certificate that its key has signed for another name or address is refused by openssl",
        arguments: [
            ("DNS:api.example.com", false), ("DNS:localhost.example.com", false),
            ("IP:10.0.0.1", false), ("IP:192.168.1.5", true), ("IP:192.168.1.6", false),
            ("IP:2001:db8::1", false), ("DNS:shop.localhost", true),
            ("IP:127.0.0.2", true),
        ]
    )
    func constraint(name: String, isAllowed: Bool) async throws {
        let address = try #require(NetworkAddress("192.168.1.5"))
        let authority = try LocalAuthority.fresh(
            at: LiveTimekeeper().moment.wall,
            for: [address]
        )
        #expect(authority.addresses == [address])
        try await expect(authority, vouchesFor: name, isAllowed)
    }

    @Test(
        "the authority of a run vouches for its hosts, for a day, and for no address, says openssl",
        arguments: [
            ("DNS:api.example.com", true), ("DNS:a.example.org", true), ("DNS:example.com", false),
            ("DNS:auth.example.com", false), ("DNS:xapi.example.com", false),
            ("DNS:localhost", false), ("IP:127.0.0.1", false), ("IP:2001:db8::1", false),
            ("DNS:api.example.com,IP:10.0.0.1", false),
        ]
    )
    func run(name: String, isAllowed: Bool) async throws {
        let now = LiveTimekeeper().moment.wall
        let hosts = try ForwardedHosts(parsing: ["api.example.com,*.example.org"])
        let authority = try LocalAuthority.forRun(of: hosts, at: now)
        #expect(authority.endsAt.timeIntervalSince(now) <= 86_400)
        try await expect(authority, vouchesFor: name, isAllowed)
    }

    /// Signs a certificate for a name with the key of an authority, and has openssl verify it.
    private func expect(
        _ authority: LocalAuthority,
        vouchesFor name: String,
        _ isAllowed: Bool
    ) async throws {
        try await withFolder { folder in
            try folder.write("ca.pem", authority.certificatePEM)
            try folder.write("ca.key", authority.pem)
            try await Program.run(
                openssl,
                [
                    "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-subj",
                    "/O=other", "-addext", "subjectAltName=\(name)", "-keyout",
                    folder.path("other.key"), "-out", folder.path("other.csr"),
                ]
            )
            try await Program.run(
                openssl,
                [
                    "x509", "-req", "-in", folder.path("other.csr"), "-CA", folder.path("ca.pem"),
                    "-CAkey", folder.path("ca.key"), "-CAcreateserial", "-copy_extensions",
                    "copyall", "-out", folder.path("other.pem"),
                ]
            )
            let verify = try Program(
                openssl,
                ["verify", "-CAfile", folder.path("ca.pem"), folder.path("other.pem")]
            )
            let ending = try await verify.ended()
            #expect((ending == .exit(0)) == isAllowed, "\(verify.errors.text)")
            let errors = verify.errors.text
            let isViolation = ["permitted subtree violation", "excluded subtree violation"]
                .contains(where: errors.contains)
            #expect(isViolation != isAllowed, "\(errors)")
        }
    }

    @Test("what was stored is read again, with the same certificate")
    func stored() throws {
        let now = LiveTimekeeper().moment.wall
        let authority = try LocalAuthority.fresh(at: now)
        let again = try LocalAuthority(pem: authority.pem, at: now)
        #expect(again.certificatePEM == authority.certificatePEM)
        #expect(again.name == authority.name)
        #expect(again.name.hasPrefix("authtop local authority "))
        #expect(!authority.certificatePEM.contains("PRIVATE"))
    }

    @Test("what has ended, is cut off, or has the key of another one is not used")
    func refused() throws {
        let now = LiveTimekeeper().moment.wall
        let pem = try LocalAuthority.fresh(at: now).pem
        let other = try LocalAuthority.fresh(at: now)
        #expect(throws: LocalAuthorityError.expired) {
            _ = try LocalAuthority(pem: pem, at: now.addingTimeInterval(731 * 86_400))
        }
        let end = try #require(pem.range(of: "-----END PRIVATE KEY-----")).upperBound
        for text in ["", "key", String(pem.prefix(300)), pem[..<end] + "\n" + other.certificatePEM]
        {
            #expect(throws: LocalAuthorityError.unreadable) {
                _ = try LocalAuthority(pem: text, at: now)
            }
        }
    }
}

/// A folder of a test, with its files.
struct TestFolder {
    fileprivate let url: URL

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
    }
}

/// Makes a folder as long as `body` runs.
func withFolder(_ body: (TestFolder) async throws -> Void) async throws {
    let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("authtop-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: url) }
    try await body(TestFolder(url: url))
}
