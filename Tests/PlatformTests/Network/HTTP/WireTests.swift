import Client
import Model
import Platform
import Profiles
import Testing

@Suite("Token transport: what goes over the wire", .timeLimit(.minutes(20)))
struct TokenTransportWireTests {
    @Test("a request goes out as it was written")
    func verbatim() async throws {
        try await exchange([.readRequest, .send(.okAnswer)], prefix: "/base/v1/") {
            transport,
            server in
            var request = WireRequest.refresh
            request.headers.append(WireHeader("AUTHORIZATION", "Bearer acc3ss-s3cr3t"))
            let report = await transport.send(request)
            #expect(report.answer?.body == Array("{}".utf8))
            let lines = try #require(server.requests.first).split(
                separator: "\r\n",
                omittingEmptySubsequences: false
            )
            #expect(lines.first == "POST /base/v1/auth/refresh HTTP/1.1")
            #expect(lines.last == #"{"refresh_token":"r3fr3sh-s3cr3t"}"#)
            #expect(
                Set(lines.dropFirst().dropLast(2)) == [
                    "Content-Type: application/json",
                    "AUTHORIZATION: Bearer acc3ss-s3cr3t",
                    "Host: 127.0.0.1:\(server.port)",
                    "User-Agent: authtop",
                    "Accept-Encoding: identity",
                    "Content-Length: 34",
                ]
            )
        }
    }

    @Test(
        "a path is joined to that of the base URL, and neither is touched",
        arguments: [
            "/", "/a/b/", "//a", "/a//b", "/a/../b/./c", "/a%2Fb", "/%7euser", "/a;v=1,2", "/a:b",
            "/@me", "/a?", "/a?x=1?y=/2&&z", "/a?t=a.b-c_d~e+f%2B%25", "/!$&'()*+,;=",
        ]
    )
    func target(target: String) async throws {
        try await exchange([.readRequest, .send(.okAnswer)], prefix: "/p%20q/r") {
            transport,
            server in
            _ = await transport.send(WireRequest(method: "GET", target: target))
            let line = server.requests.first?.split(separator: "\r\n").first
            #expect(line == "GET /p%20q/r\(target) HTTP/1.1")
        }
    }

    @Test("a header of the dialect takes the place of ours")
    func ownHeaders() async throws {
        try await exchange([.readRequest, .send(.okAnswer)]) { transport, server in
            let headers = [
                WireHeader("user-agent", "curl/8"), WireHeader("host", "api.example.com"),
                WireHeader("Content-Length", "7"), WireHeader("Transfer-Encoding", "chunked"),
            ]
            _ = await transport.send(
                WireRequest(method: "POST", target: "/", headers: headers, body: Array("{}".utf8))
            )
            let lines = server.requests.first?.lowercased().split(separator: "\r\n") ?? []
            #expect(lines.filter { $0.hasPrefix("user-agent:") } == ["user-agent: curl/8"])
            #expect(lines.filter { $0.hasPrefix("host:") } == ["host: api.example.com"])
            #expect(lines.filter { $0.hasPrefix("content-length:") } == ["content-length: 2"])
            #expect(lines.contains { $0.hasPrefix("transfer-encoding:") } == false)
        }
    }

    @Test("a name below localhost reaches this machine, under its own name")
    func nameBelowLocalhost() async throws {
        try await ScriptedServer.run([[.readRequest, .send(.okAnswer)]]) { server in
            try await withTestNetwork { network in
                let origin = try BackendOrigin(parsing: "http://app.localhost:\(server.port)")
                let report = await network.tokenTransport(to: origin).send(.protected)
                #expect(report.answer != nil, "\(report.notSent ?? "")")
                let request = server.requests.first ?? ""
                #expect(request.contains("\r\nHost: app.localhost:\(server.port)\r\n"))
            }
        }
    }

    @Test(
        "what cannot go out as it is written does not go out, and no value is quoted",
        arguments: [
            WireRequest(method: "GET", target: "items"),
            WireRequest(method: "GET", target: ""),
            WireRequest(method: "GET", target: "/a b?t=s3cr3t"),
            WireRequest(method: "GET", target: "/a#s3cr3t"),
            WireRequest(method: "GET", target: "/a?x[0]=s3cr3t"),
            WireRequest(method: "GET", target: "/a?x=%s3cr3t"),
            WireRequest(method: "GET", target: "/é"),
            WireRequest(method: "GET", target: "/a\r\nX: s3cr3t"),
            WireRequest(method: "GE T", target: "/"),
            WireRequest(method: "", target: "/"),
            WireRequest(method: "GET", target: "/", headers: [WireHeader("X\r\nY", "s3cr3t")]),
            WireRequest(method: "GET", target: "/", headers: [WireHeader("X", "s3cr3t\r\nY: z")]),
            WireRequest(
                method: "GET",
                target: "/",
                headers: [WireHeader("Authorization", "s3cr3t"), WireHeader("authorization", "b")]
            ),
        ]
    )
    func unfit(request: WireRequest) async throws {
        try await exchange([.readRequest]) { transport, server in
            let message = await transport.send(request).notSent
            #expect(message?.hasPrefix("not sent: ") == true)
            #expect(message?.contains("s3cr3t") == false)
            #expect(server.connections == 0)
        }
    }
}
