import Dialects
import Foundation
import Networking
import Sessions
import Testing

@Suite("Network: TLS", .timeLimit(.minutes(5)))
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

    @Test("without the file nothing is sent, and the words say what helps")
    func unknownAuthority() async throws {
        try await CertificateAuthority.with { authority in
            try await ScriptedServer.run([[.readRequest]], tls: authority.server) { server in
                try await withTestNetwork { network in
                    let origin = try BackendOrigin(parsing: "https://127.0.0.1:\(server.port)")
                    let words = await network.tokenTransport(to: origin).send(.refresh).notSent
                    #expect(
                        words == "certificate not trusted: 127.0.0.1:\(server.port) shows one from "
                            + "an unknown issuer, or one that is not valid now; --ca-file adds an "
                            + "issuer"
                    )
                    #expect(server.requests.isEmpty)
                }
            }
        }
    }

    @Test("a certificate for another name is not trusted", arguments: ["127.0.0.1", "localhost"])
    func otherName(host: String) async throws {
        try await CertificateAuthority.with(names: "DNS:other.example") { authority in
            let trust = try TrustRoots(caFile: authority.caFile)
            try await ScriptedServer.run([[.readRequest]], tls: authority.server) { server in
                try await withTestNetwork(trust: trust) { network in
                    let origin = try BackendOrigin(parsing: "https://\(host):\(server.port)")
                    let words = await network.tokenTransport(to: origin).send(.refresh).notSent
                    #expect(words == "certificate not trusted: it is not for \(host)")
                    #expect(server.requests.isEmpty)
                }
            }
        }
    }

    @Test("TLS to a server that speaks plain HTTP is told apart")
    func plainServer() async throws {
        let answer = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
        try await ScriptedServer.run([[.send(answer), .hold]]) { server in
            try await withTestNetwork { network in
                let origin = try BackendOrigin(parsing: "https://127.0.0.1:\(server.port)")
                let words = await network.tokenTransport(to: origin).send(.refresh).notSent
                #expect(words == "127.0.0.1:\(server.port) does not speak TLS: is it http?")
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
