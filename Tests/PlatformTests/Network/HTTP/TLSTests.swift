import Basics
import Client
import Foundation
import Model
import NIOSSL
import Profiles
import Testing

@testable import Platform

@Suite("Network: TLS", .timeLimit(.minutes(20)))
struct TLSTests {
    @Test("a server of one's own authority is trusted by its file")
    func ownAuthority() async throws {
        try await CertificateAuthority.with { authority in
            let trust = try TrustRoots(caFile: authority.caFile)
            try await ScriptedServer.run(
                [[.readRequest, .send(.okAnswer), .hold]],
                tls: authority.server
            ) { server in
                try await withTestNetwork(trust: trust) { network in
                    for host in ["127.0.0.1", "localhost"] {
                        let origin = try BackendOrigin(parsing: "https://\(host):\(server.port)")
                        let report = await network.tokenTransport(to: origin).send(.refresh)
                        #expect(report.answer?.status == 200, "\(report.notSent ?? "")")
                    }
                }
            }
        }
    }

    /// A server's fault, and the text about it.
    enum Trouble: String, Sendable, CaseIterable {
        case expired, notYetValid, issuerExpired, unknownIssuer, selfSigned, otherName, plainHTTP
        case silent, otherProtocol, outdated

        fileprivate var validity: CertificateAuthority.Validity {
            switch self {
            case .expired: -3 ... -2
            case .notYetValid: 1...2
            default: -1...2
            }
        }

        fileprivate var issuerValidity: CertificateAuthority.Validity {
            self == .issuerExpired ? -3 ... -2 : -1...2
        }

        fileprivate var names: String {
            self == .otherName ? "DNS:other.example" : "IP:127.0.0.1,DNS:localhost"
        }

        /// The server's actions once it is connected.
        fileprivate var script: [ScriptedServer.Step] {
            switch self {
            case .plainHTTP:
                [.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), .hold]
            case .otherProtocol: [.send("SSH-2.0-OpenSSH_9.2\r\n"), .hold]
            case .silent: [.readAnything]
            default: [.readRequest]
            }
        }

        fileprivate func context(_ authority: CertificateAuthority) -> NIOSSLContext? {
            switch self {
            case .plainHTTP, .silent, .otherProtocol: nil
            case .selfSigned: authority.selfSigned
            case .outdated: authority.outdated
            default: authority.server
            }
        }

        /// A date stands for itself.
        fileprivate func message(_ host: String, _ peer: String) -> String {
            switch self {
            case .expired: "certificate not trusted: \(peer) shows one that expired DATE"
            case .notYetValid:
                "certificate not trusted: \(peer) shows one that is not valid before DATE: "
                    + "compare the clocks"
            case .issuerExpired:
                "certificate not trusted: \(peer) shows one whose issuer's expired DATE"
            case .unknownIssuer:
                "certificate not trusted: \(peer) shows one from an unknown issuer; --ca-file adds "
                    + "an issuer"
            case .selfSigned:
                "certificate not trusted: \(peer) shows one that it signed itself; --ca-file adds it"
            case .otherName: "certificate not trusted: it is not for \(host)"
            case .plainHTTP, .otherProtocol: "\(peer) does not speak TLS: is it http?"
            case .silent: "\(peer) ended the TLS handshake: does it speak TLS?"
            case .outdated: "\(peer) does not support TLS 1.2 or later"
            }
        }
    }

    @Test(
        "what is wrong under TLS is named for what it is, and nothing is sent",
        arguments: Trouble.allCases,
        ["127.0.0.1", "localhost"]
    )
    func problem(problem: Trouble, host: String) async throws {
        try await CertificateAuthority.with(
            names: problem.names,
            validity: problem.validity,
            issuerValidity: problem.issuerValidity
        ) { authority in
            let trust =
                problem == .unknownIssuer
                ? TrustRoots.system : try TrustRoots(caFile: authority.caFile)
            let tls = problem.context(authority)
            try await ScriptedServer.run([problem.script], tls: tls) { server in
                try await withTestNetwork(trust: trust) { network in
                    let origin = try BackendOrigin(parsing: "https://\(host):\(server.port)")
                    let report = await network.tokenTransport(to: origin).send(.refresh)
                    let dial = try await network.feedTransport(to: origin)
                        .dial(.plain, deadline: liveTime.now + .seconds(30))
                    let expected = problem.message(host, "\(host):\(server.port)")
                    for message in [report.notSent, dial.failure] {
                        let said = message?.replacing(/[0-9-]+T[0-9:]+Z/, with: "DATE")
                        #expect(said == expected)
                    }
                    #expect(server.requests.isEmpty)
                }
            }
        }
    }

    @Test("an answer that TLS cuts off is unanswered")
    func cutOff() async throws {
        try await CertificateAuthority.with { authority in
            let trust = try TrustRoots(caFile: authority.caFile)
            let half = "HTTP/1.1 200 OK\r\n\r\n{\"access_token\":"
            try await ScriptedServer.run(
                [[.readRequest, .send(half), .reset]],
                tls: authority.server
            ) { server in
                try await withTestNetwork(trust: trust) { network in
                    let origin = try BackendOrigin(parsing: "https://127.0.0.1:\(server.port)")
                    let report = await network.tokenTransport(to: origin).send(.refresh)
                    #expect(report.unanswered != nil)
                }
            }
        }
    }

    @Test("a file that cannot be read, or holds no certificate, is refused in words")
    func badFile() throws {
        #expect(throws: TrustRootsError.unreadable("/nonexistent.pem")) {
            try TrustRoots(caFile: "/nonexistent.pem")
        }
        #expect(throws: TrustRootsError.self) { try TrustRoots(caFile: #filePath) }
        #expect(throws: TrustRootsError.self) { try TrustRoots(caFile: "/dev/null") }
    }
}
