import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Basics
@testable import Observer

/// A way to present a token, with what is around it.
struct Presentation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Sends it with the name of the place.
    let send: @Sendable (inout TrafficScript, String) -> Int
}

@Suite("A known token is known wherever it comes back")
struct PresentationMatrixTests {
    private static func base64(_ text: String) -> String {
        Data(text.utf8).base64EncodedString()
    }

    private static func percent(_ text: String) -> String {
        text.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined()
    }

    private static let schemes: [(name: String, wrap: @Sendable (String) -> String)] = [
        ("alone", { $0 }), ("Bearer", { "Bearer \($0)" }), ("OAuth", { "OAuth \($0)" }),
        ("unknown scheme", { "Acme \($0)" }), ("Token=\"…\"", { "Snowflake Token=\"\($0)\"" }),
        ("parameters", { "Acme realm=\"x\", token=\"\($0)\", v=1" }), ("quotes", { "\"\($0)\"" }),
        ("bearer:", { "bearer:\($0)" }), ("percent", { percent("Bearer \($0)") }),
        ("base64 of JSON", { base64("{\"Authorization\":\"\($0)\",\"host\":\"a.example\"}") }),
        ("Basic", { "Basic " + base64("oauth2:\($0)") }),
        ("JSON", { "{\"token\":\"\($0)\"}" }), ("single quotes", { "'\($0)'" }),
        ("DPoP", { "DPoP \($0)" }), ("JWT", { "JWT \($0)" }),
        ("Token token=", { "Token token=\($0)" }),
        ("GoogleLogin", { "GoogleLogin auth=\($0)" }),
        ("Basic, as the user", { "Basic " + base64("\($0):") }),
        ("Basic, before a word", { "Basic " + base64("\($0):x-oauth-basic") }),
        ("base64", { base64($0) }),
        ("base64url", { base64("tok:\($0)").replacing("=", with: "") }),
        ("JSON in percent", { percent("{\"a\":{\"token\":\"\($0)\"}}") }),
        ("JSON in base64 in JSON", { "{\"a\":\"" + base64("{\"token\":\"\($0)\"}") + "\"}" }),
        ("GraphQL", { "mutation{renew(token:\"\($0)\"){id}}" }),
        ("XML", { "<BinarySecurityToken ValueType=\"jwt\">\($0)</BinarySecurityToken>" }),
        ("percent twice", { percent(percent($0)) }), ("a pair with a bar", { "17|\($0)" }),
    ]

    private static let places:
        [(name: String, send: @Sendable (inout TrafficScript, String) -> Int)] = [
            (
                "Authorization",
                { $0.send("GET", "/x", headers: [WireHeader("Authorization", $1)]) }
            ),
            ("a header", { $0.send("GET", "/x", headers: [WireHeader("X-Acme-Key", $1)]) }),
            (
                "a cookie",
                { $0.send("GET", "/x", headers: [WireHeader("Cookie", "a=b; acme=\($1)")]) }
            ),
            ("the query", { $0.send("GET", "/x?acme=\(percent($1))") }),
            ("a JSON body", { $0.send("POST", "/x", json: ["a": ["acme": .string($1)]]) }),
            (
                "variables",
                { $0.send("POST", "/x", json: ["variables": ["input": ["k": .string($1)]]]) }
            ),
            ("a list", { $0.send("POST", "/x", json: ["method": "f", "params": [.string($1)]]) }),
            (
                "XML",
                {
                    $0.send(
                        "POST",
                        "/x",
                        headers: [WireHeader("Content-Type", "text/xml")],
                        body: Array("<Envelope><Security>\($1)</Security></Envelope>".utf8)
                    )
                }
            ),
            ("a form", { $0.send("POST", "/x", form: "acme=\(percent($1))") }),
            (
                "a multipart form",
                {
                    $0.send(
                        "POST",
                        "/x",
                        headers: [WireHeader("Content-Type", "multipart/form-data; boundary=b")],
                        body: Array(
                            "--b\r\nContent-Disposition: form-data; name=\"acme\"\r\n\r\n\($1)\r\n--b--"
                                .utf8
                        )
                    )
                }
            ),
            (
                "plain text",
                {
                    $0.send(
                        "POST",
                        "/x",
                        headers: [WireHeader("Content-Type", "text/plain")],
                        body: Array("acme \($1)".utf8)
                    )
                }
            ),
        ]

    static let all: [Presentation] = places.flatMap { place in
        schemes.map { scheme in
            Presentation(testDescription: "\(scheme.name) in \(place.name)") {
                place.send(&$0, scheme.wrap($1))
            }
        }
    }

    @Test("an access token belongs to its session, and no output has it", arguments: all)
    func access(presentation: Presentation) throws {
        var script = TrafficScript()
        script.logIn()
        script.call(1)
        script.wait(5)
        let call = presentation.send(&script, TrafficScript.access(1))
        script.finish(call, 200, ["ok": true])
        let run = ObservationRun(script, after: 0)
        let exchange = try #require(run.machine.traffic.exchange(call))
        #expect(exchange.family == 1 && exchange.generation == 1)
        #expect(run.machine.traffic.graph.families.count == 1)
        let sent = exchange.request.occurrences.map(\.fingerprint)
        let token = ObservationRun.fingerprinter.fingerprint(of: Secret(TrafficScript.access(1)))
        #expect(sent.contains(token))
        let inputs = try run.inputs.map {
            String(decoding: try JSONEncoder().encode($0.input), as: UTF8.self)
        }
        let text = inputs.joined()
        #expect(!text.contains(TrafficScript.access(1)))
        #expect(!text.contains(Self.base64("{\"Authorization\":\"\(TrafficScript.access(1))")))
    }

    @Test("a refresh token of another name in a body asks for a renewal", arguments: all)
    func refresh(presentation: Presentation) throws {
        var script = TrafficScript()
        script.logIn()
        script.call(1)
        script.wait(250)
        let renewal = presentation.send(&script, TrafficScript.refresh(1))
        script.finish(renewal, 200, TrafficScript.pair(2))
        script.call(2)
        let run = ObservationRun(script, after: 0)
        let exchange = try #require(run.machine.traffic.exchange(renewal))
        #expect(exchange.purpose == .refresh && exchange.family == 1)
        #expect(run.machine.traffic.graph.families.count == 1)
        #expect(run.machine.traffic.graph.families[1]?.generations.count == 2)
    }

    private static let messages: [(name: String, wrap: @Sendable (String) -> String)] = [
        ("JSON", { "{\"op\":\"hi\",\"acme\":{\"v\":\"\($0)\"}}" }),
        ("Socket.IO", { "40{\"token\":\"\($0)\"}" }), ("text", { "AUTH \($0)" }),
        ("STOMP", { "CONNECT\nAuthorization:Bearer \($0)\naccept-version:1.2\n\n\0" }),
        ("STOMP in SockJS", { "[\"CONNECT\\nAuthorization:Bearer \($0)\\n\\n\\u0000\"]" }),
        ("base64", { base64("{\"token\":\"\($0)\"}") }), ("a form", { "op=auth&acme=\($0)" }),
    ]

    @Test("a socket's message presents it, the first and the tenth", arguments: messages.indices)
    func message(index: Int) throws {
        var script = TrafficScript()
        script.logIn()
        let socket = script.dial("/socket")
        script.open(socket)
        let text = Self.messages[index].wrap(TrafficScript.access(1))
        for _ in 1...10 { script.push(socket, from: .app, text: text) }
        let run = ObservationRun(script, after: 0)
        let counts = run.inputs.compactMap { input -> Int? in
            guard case .socketMessage(let facts) = input.input.kind else { return nil }
            return facts.occurrences.count
        }
        #expect(counts == Array(repeating: 1, count: 10))
    }

    @Test(
        "what only resembles a token is none",
        arguments: [
            "access-token-of-generation-12", "my-access-token-of-generation-1x",
            "access-token-of-generation-1.signed", "ACCESS-TOKEN-OF-GENERATION-1",
        ]
    )
    func others(text: String) throws {
        var script = TrafficScript()
        script.logIn()
        let call = script.send("POST", "/x", json: ["acme": .string(text)])
        script.finish(call, 200, ["ok": true])
        let run = ObservationRun(script, after: 0)
        #expect(run.machine.traffic.exchange(call)?.request.occurrences.isEmpty == true)
    }
}
