import Basics
import Client
import Foundation
import Model
import Platform
import Testing

@testable import Profiles

@Suite("Network: pins and client certificates", .timeLimit(.minutes(20)))
struct TransportSecurityTests {
    private static let other = "sha256/" + String(repeating: "A", count: 43) + "="

    private func origins(
        _ port: Int,
        pins: [String] = [],
        _ certificate: ClientCertificate? = nil
    ) throws -> BackendOrigins {
        BackendOrigins(
            try BackendOrigin(parsing: "https://localhost:\(port)"),
            security: TransportSecurity(
                pins: try pins.map { try #require(KeyPin($0)) },
                clientCertificate: certificate
            )
        )
    }

    @Test("a server with a pinned key is accepted; another is not, and nothing is sent to it")
    func pins() async throws {
        try await CertificateAuthority.with { authority in
            let trust = try TrustRoots(caFile: authority.caFile)
            try await ScriptedServer.run(
                [[.readRequest, .send(.okAnswer), .hold]],
                tls: authority.server
            ) { server in
                try await withTestNetwork(trust: trust) { network in
                    let good = try origins(server.port, pins: [Self.other, authority.pin])
                    let bad = try origins(server.port, pins: [Self.other])
                    let accepted = await network.tokenTransport(to: good).send(.refresh)
                    #expect(accepted.answer?.status == 200, "\(accepted.notSent ?? "")")
                    let dial = try await network.feedTransport(to: good)
                        .dial(.plain, deadline: liveTime.now + .seconds(30))
                    // The script answers 200 to an upgrade.
                    #expect(dial.failure == nil)
                    let count = server.requests.count
                    let expected =
                        "the key of localhost:\(server.port) is not pinned: expected "
                        + "\(Self.other), found \(authority.pin)"
                    #expect(
                        await network.tokenTransport(to: bad).send(.refresh).notSent == expected
                    )
                    let refused = try await network.feedTransport(to: bad)
                        .dial(.plain, deadline: liveTime.now + .seconds(30))
                    #expect(refused.failure == expected)
                    #expect(server.requests.count == count)
                }
            }
        }
    }

    @Test("nothing is sent to a name that leads to this machine where no server may be")
    func near() async throws {
        try await CertificateAuthority.with { authority in
            let trust = try TrustRoots(caFile: authority.caFile)
            try await ScriptedServer.run(
                [[.readRequest, .send(.okAnswer), .hold]],
                tls: authority.server
            ) { server in
                try await withTestNetwork(trust: trust) { network in
                    let far = BackendOrigins(
                        try BackendOrigin(parsing: "https://localhost:\(server.port)"),
                        security: TransportSecurity.standard.farOnly
                    )
                    let sent = await network.tokenTransport(to: far).send(.refresh).notSent
                    let address = "localhost:\(server.port) leads to 127.0.0.1"
                    #expect(sent?.hasPrefix(address) == true, "\(sent ?? "sent")")
                    #expect(server.requests.isEmpty)
                }
            }
        }
    }

    @Test("the connection to a server whose key is not pinned is closed")
    func pinMismatch() async throws {
        try await CertificateAuthority.with { authority in
            let trust = try TrustRoots(caFile: authority.caFile)
            try await ScriptedServer.run([[.readRequest, .hold]], tls: authority.server) { server in
                try await withTestNetwork(trust: trust) { network in
                    let bad = try origins(server.port, pins: [Self.other])
                    #expect(await network.tokenTransport(to: bad).send(.refresh).notSent != nil)
                    let end = liveTime.now + .seconds(20)
                    while server.ended < server.connections, liveTime.now < end {
                        await Task.yield()
                    }
                    #expect(server.ended == server.connections)
                }
            }
        }
    }

    @Test("a server that demands a certificate gets it, and one that gets none is named")
    func clientCertificate() async throws {
        try await CertificateAuthority.with { authority in
            let trust = try TrustRoots(caFile: authority.caFile)
            let key = try Data(contentsOf: URL(filePath: authority.client.key))
            let certificate = try ClientCertificate(
                file: authority.client.certificate,
                key: Array(key)
            )
            try await ScriptedServer.run(
                [[.readRequest, .send(.okAnswer), .hold]],
                tls: authority.demanding
            ) { server in
                try await withTestNetwork(trust: trust) { network in
                    let with = try origins(server.port, certificate)
                    let accepted = await network.tokenTransport(to: with).send(.refresh)
                    #expect(accepted.answer?.status == 200, "\(accepted.notSent ?? "")")
                    let dial = try await network.feedTransport(to: with)
                        .dial(.plain, deadline: liveTime.now + .seconds(30))
                    #expect(dial.failure == nil)
                    let count = server.requests.count
                    let without = try origins(server.port)
                    let refused = await network.tokenTransport(to: without).send(.refresh)
                    let said = refused.notSent ?? refused.unanswered
                    #expect(
                        said
                            == "localhost:\(server.port) wants another certificate of the client: "
                            + "see client_certificate"
                    )
                    #expect(server.requests.count == count)
                }
            }
        }
    }

    @Test("a key of another certificate, and files without one, are told apart")
    func badFiles() async throws {
        try await CertificateAuthority.with { authority in
            let client = authority.client
            let key = Array(try Data(contentsOf: URL(filePath: client.key)))
            #expect(throws: ClientCertificateError.noCertificate) {
                try ClientCertificate(file: client.key, key: key)
            }
            #expect(throws: ClientCertificateError.noCertificate) {
                try ClientCertificate(file: "/nonexistent", key: key)
            }
            #expect(throws: ClientCertificateError.noKey) {
                try ClientCertificate(file: client.certificate, key: [])
            }
            #expect(throws: ClientCertificateError.otherKey) {
                try ClientCertificate(file: authority.caFile, key: key)
            }
        }
    }
}
