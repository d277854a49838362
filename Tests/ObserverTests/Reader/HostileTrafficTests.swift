import Basics
import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Observer

/// Traffic of an app and a backend that may mean harm, or nothing.
@Suite("Traffic of any kind")
struct HostileTrafficTests {
    private static let texts = [
        "", " ", "a", "null", "Bearer", "Bearer Bearer x", "..", "eyJ.eyJ.x", "%", "%zz", "=;=;=",
        "\u{1B}[2J\u{202E}", String(repeating: "x", count: 9_000), "[object Object]", "\u{0}",
        "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjFlMzAwfQ.x", "grant_type=refresh_token&refresh_token=",
        "{\"access_token\":\"aaaaaaaaaaaaaaaa\",\"expires_in\":1e300}",
        "{\"access_token\":\"bbbbbbbbbbbbbbbb\",\"refresh_token\":\"aaaaaaaaaaaaaaaa\"}",
        "{\"seq\":9223372036854775807}", "{\"seq\":-9223372036854775808}", "{\"id\":1e400}",
        "{\"expires_at\":-1,\"token\":\"aaaaaaaaaaaaaaaa\",\"expires_in\":-5}", "[[[[[[[[1]]]]]]]]",
        "{\"error\":{\"code\":[]}}", "token=aaaaaaaaaaaaaaaa; Max-Age=-99999999999999999999",
        "session_id=aaaaaaaaaaaaaaaa; Expires=never", "99999999999999999999999", "-1",
    ]
    private static let names = [
        "Authorization", "Cookie", "Set-Cookie", "Content-Type", "Date", "Retry-After", "Upgrade",
        "WWW-Authenticate", "X-Auth-Token", "Sec-WebSocket-Protocol", "Accept", "Origin", "",
    ]

    private static func pick<Value>(
        _ values: [Value],
        _ generator: inout SeededGenerator
    ) -> Value? {
        values.randomElement(using: &generator)
    }

    private static func header(_ generator: inout SeededGenerator) -> WireHeader {
        let name = pick(names, &generator) ?? ""
        let types = ["application/json", "application/x-www-form-urlencoded", "websocket"]
        let value =
            Bool.random(using: &generator) && name.hasPrefix("Content")
            ? pick(types, &generator) : pick(texts, &generator)
        return WireHeader(name, value ?? "")
    }

    private static func step(_ generator: inout SeededGenerator) -> TrafficInput {
        let exchange = Int.random(in: 1...6, using: &generator)
        let text = pick(texts, &generator) ?? ""
        let headers = (0..<3).map { _ in header(&generator) }
        let sides = TrafficSide.allCases
        let kinds: [TrafficInput.Kind] = [
            .requestHead(
                WireRequest(
                    method: pick(["GET", "POST", "OPTIONS", text], &generator) ?? "GET",
                    origin: "https://api.example.com",
                    target: pick(
                        ["/", "", "/login", "/auth/refresh", "/logout?\(text)", text],
                        &generator
                    ) ?? "/",
                    headers: headers
                ),
                connection: 1,
                peer: text
            ),
            .requestBody(Array(text.utf8)), .requestEnd(bytes: text.utf8.count),
            .responseHead(
                WireResponse(
                    status: pick([-1, 0, 100, 101, 200, 302, 401, 403, 429, 503, 999], &generator)
                        ?? 200,
                    headers: headers
                )
            ),
            .responseBody(Array(text.utf8)), .responseEnd(bytes: 0),
            .delivered(whole: Bool.random(using: &generator)), .failed(.abandoned),
            .failed(.unanswered(message: text)), .failed(.notSent(message: text)),
            .socketOpened,
            .socketMessage(
                SocketMessage(
                    from: pick(sides, &generator) ?? .app,
                    isText: true,
                    payload: Array(text.utf8),
                    bytes: 0
                )
            ),
            .socketClosed(SocketEnd(by: .backend, code: nil)), .injected(experiment: "expire"),
        ]
        let kind = pick(kinds, &generator) ?? .requestEnd(bytes: 0)
        return TrafficInput(exchange: exchange, kind: kind)
    }

    @Test("never stops the reader or the machine, whatever it is and in whatever order")
    func anything() throws {
        for seed in 1...40 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var reader = TrafficReader(
                fingerprinter: ObservationRun.fingerprinter,
                dialect: seed.isMultiple(of: 2) ? Dialect.builtIn(named: "oauth2") : nil
            )
            var machine = ObservationMachine(
                ObservationMachine.Configuration(profile: "app", baseURL: "")
            )
            var seconds = 0.0
            var inputs = 0
            for _ in 1...400 {
                seconds += Double.random(in: 0...3, using: &generator)
                let moment = TrafficScript.moment(seconds)
                for input in reader.read(Self.step(&generator), at: moment) {
                    inputs += 1
                    let data = try JSONEncoder().encode(input)
                    let again = try JSONDecoder().decode(ObservationInput.self, from: data)
                    #expect(again.exchange == input.exchange)
                    for event in machine.handle(input, at: moment) {
                        if let record = event.kind as? Exchange {
                            #expect(record.target.unicodeScalars.allSatisfy { !$0.isUnseen })
                        }
                    }
                }
                _ = machine.handle(ObservationInput(exchange: 0, kind: .tick), at: moment)
            }
            #expect(inputs > 50)
        }
    }
}
