import Model
import Profiles
import Testing

@testable import Basics
@testable import Observer

@Suite("An HTTP archive of another tool")
struct HARCaptureTests {
    private static func entry(
        _ method: String = "GET",
        _ url: String = "https://api.example.com/items",
        at second: Double = 0,
        taking milliseconds: Double = 20,
        headers: [(String, String)] = [],
        json: JSONValue? = nil,
        _ status: Int64 = 200,
        _ answer: JSONValue? = nil
    ) -> JSONValue {
        var request: [String: JSONValue] = [
            "method": .string(method), "url": .string(url),
            "headers": .array(
                headers.map { ["name": .string($0.0), "value": .string($0.1)] }
            ),
        ]
        if let json {
            request["postData"] = [
                "mimeType": "application/json", "text": .string(json.serialized),
            ]
        }
        let content: JSONValue =
            answer.map { ["mimeType": "application/json", "text": .string($0.serialized)] }
            ?? ["mimeType": "x-unknown"]
        let whole = Int(second)
        let thousandths = Int(((second - Double(whole)) * 1_000).rounded())
        let time = "\(whole < 10 ? "0" : "")\(whole).\(String(1_000 + thousandths).dropFirst())"
        return [
            "startedDateTime": .string("2026-11-23T12:00:\(time)Z"),
            "time": .number(milliseconds), "request": .object(request),
            "response": ["status": .integer(status), "headers": [], "content": content],
        ]
    }

    private static func bytes(_ entries: [JSONValue], creator: String = "WebInspector") -> [UInt8] {
        let log: JSONValue = [
            "log": [
                "version": "1.2", "creator": ["name": .string(creator)],
                "entries": .array(entries),
            ]
        ]
        return Array(log.serialized.utf8)
    }

    private static func run(_ entries: [JSONValue]) throws -> ObservedRun {
        let capture = try HARCapture(reading: bytes(entries))
        return ObservedRun(
            ObservationMachine.Configuration(profile: "app", baseURL: capture.origin ?? ""),
            reading: capture,
            by: TrafficReader(fingerprinter: ObservationRun.fingerprinter)
        )
    }

    private static let login = entry(
        "POST",
        "https://api.example.com/login",
        json: ["username": "ada", "password": "correct"],
        200,
        TrafficScript.pair(1)
    )

    private static func refresh(at second: Double, taking milliseconds: Double) -> JSONValue {
        entry(
            "POST",
            "https://api.example.com/auth/refresh",
            at: second,
            taking: milliseconds,
            json: ["refresh_token": .string(TrafficScript.refresh(1))],
            second < 5.3 ? 200 : 400,
            second < 5.3 ? TrafficScript.pair(2) : ["error": "invalid_grant"]
        )
    }

    @Test("names two refreshes that overlap; one after the other is none")
    func race() throws {
        let overlapping = try Self.run([
            Self.refresh(at: 5.4, taking: 400), Self.login, Self.refresh(at: 5.2, taking: 400),
        ])
        let race = try #require(overlapping.findings.first { $0.rule == "race" })
        // In the order of their starts, which is not that of the file.
        #expect(race.exchanges == [2, 3])
        #expect(race.isCertainBug)
        let apart = try Self.run([
            Self.login, Self.refresh(at: 5.2, taking: 100), Self.refresh(at: 5.9, taking: 400),
        ])
        #expect(!apart.findings.contains { $0.rule == "race" })
    }

    /// What tools do to archives, or to the entry of a picture in them.
    enum Oddity: CaseIterable {
        case none, byteOrderMark, call, statusOfNone, falseBase64, noTime, bodiesBeside
    }

    @Test(
        "tells a race of an odd archive, and says nothing of a sound one",
        arguments: Oddity.allCases
    )
    func odd(oddity: Oddity) throws {
        func rules(_ refreshes: [JSONValue]) throws -> [String] {
            var picture = Self.entry("GET", "https://cdn.example.com/logo.png", at: 9)
            var entries = [Self.login] + refreshes
            var files: [String: [UInt8]] = [:]
            switch oddity {
            case .none, .byteOrderMark, .call: break
            case .statusOfNone: picture = Self.changing(picture, ["response", "status"], to: -999)
            case .falseBase64:
                let content: JSONValue = [
                    "mimeType": "image/png", "text": "<svg/>", "encoding": "base64",
                ]
                picture = Self.changing(picture, ["response", "content"], to: content)
            case .noTime: picture = Self.changing(picture, ["startedDateTime"], to: .null)
            case .bodiesBeside:
                for index in entries.indices {
                    for path in [["request", "postData"], ["response", "content"]] {
                        guard let content = path.reduce(entries[index] as JSONValue?, { $0?[$1] }),
                            case .string(let text)? = content["text"]
                        else { continue }
                        let file = "\(index)-\(path[0]).json"
                        files[file] = Array(text.utf8)
                        entries[index] = Self.changing(
                            entries[index],
                            path,
                            to: ["mimeType": "application/json", "_file": .string(file)]
                        )
                    }
                }
            }
            var bytes = Self.bytes(entries + [picture])
            if oddity == .byteOrderMark { bytes = [0xEF, 0xBB, 0xBF] + bytes }
            if oddity == .call { bytes = Array("onInputData(".utf8) + bytes + Array(");".utf8) }
            let capture = try HARCapture(reading: bytes) { files[$0] }
            let run = ObservedRun(
                ObservationMachine.Configuration(profile: "app", baseURL: capture.origin ?? ""),
                reading: capture,
                by: TrafficReader(fingerprinter: ObservationRun.fingerprinter)
            )
            return run.findings.filter { $0.severity != .note }.map(\.rule)
        }
        let first = Self.refresh(at: 5.2, taking: 400)
        #expect(try rules([first, Self.refresh(at: 5.4, taking: 400)]) == ["race"])
        #expect(try rules([first]) == [])
    }

    @Test("has a session with its expiry, at the times of the archive")
    func session() throws {
        let call = Self.entry(
            at: 2,
            headers: [
                (":authority", "api.example.com"),
                ("Authorization", "Bearer \(TrafficScript.access(1))"),
            ]
        )
        let run = try Self.run([Self.login, call])
        #expect(run.findings.allSatisfy { $0.rule == "no-store" })
        #expect(run.traffic.graph.families.count == 1)
        let exchange = try #require(run.traffic.exchange(2))
        #expect(exchange.purpose == .protected && exchange.generation == 1)
        #expect(exchange.startedAt.now.seconds(since: .origin) == 2)
        #expect(abs(run.recording.events.last?.moment.now.seconds(since: .origin) ?? 0) > 2.01)
    }

    @Test("has the messages of a socket, by both sides")
    func socket() throws {
        var socket = Self.entry(
            "GET",
            "wss://api.example.com/feed?access_token=\(TrafficScript.access(1))",
            at: 1,
            101
        )
        guard case .object(var members) = socket else { return }
        let time = 1_795_435_202.0
        members["_webSocketMessages"] = [
            ["type": "send", "time": .number(time), "opcode": 1, "data": "{}"],
            ["type": "receive", "time": .number(time + 1), "opcode": 1, "data": "{\"seq\":7}"],
            ["type": "receive", "time": .number(time + 2), "opcode": 2, "data": "AAEC"],
        ]
        socket = .object(members)
        let capture = try HARCapture(reading: Self.bytes([Self.login, socket]))
        let sides = capture.steps.compactMap { step -> TrafficSide? in
            if case .socketMessage(let message) = step.input.kind { message.from } else { nil }
        }
        #expect(sides == [.app, .backend, .backend])
        let run = try Self.run([Self.login, socket])
        let exchange = try #require(run.traffic.exchange(2))
        #expect(exchange.purpose == .socket && exchange.openedAt != nil)
        #expect(exchange.family == run.traffic.exchange(1)?.family)
        #expect(!run.recording.events.filter { $0.kind.name == "feedMessage" }.isEmpty)
    }

    @Test(
        "without an answer says why, as the tool does",
        arguments: [
            ("net::ERR_ABORTED", ExchangeFailure.abandoned),
            ("net::ERR_CONNECTION_REFUSED", .notSent(message: "net::ERR_CONNECTION_REFUSED")),
            ("net::ERR_EMPTY_RESPONSE", .unanswered(message: "net::ERR_EMPTY_RESPONSE")),
        ]
    )
    func failures(text: String, failure: ExchangeFailure) throws {
        guard case .object(var entry) = Self.entry() else { return }
        entry["response"] = ["status": 0, "_error": .string(text)]
        let capture = try HARCapture(reading: Self.bytes([.object(entry)]))
        guard case .failed(let found)? = capture.steps.last?.input.kind else {
            Issue.record("no failure")
            return
        }
        #expect(found == failure)
    }

    @Test("of mitmproxy states the time of a connection twice")
    func connectTime() throws {
        guard case .object(var entry) = Self.entry(taking: 30) else { return }
        entry["timings"] = ["connect": 10, "ssl": -1, "send": .null, "wait": 19, "receive": 1]
        for (creator, seconds) in [("mitmproxy", 0.02), ("Firefox", 0.03)] {
            let capture = try HARCapture(reading: Self.bytes([.object(entry)], creator: creator))
            let taken = capture.endedAt.now.seconds(since: capture.startedAt.now)
            #expect(abs(taken - seconds) < 0.000_001, "\(creator)")
        }
    }

    @Test(
        "has the parts of a time that it does not state",
        arguments: [JSONValue.integer(-1), .null]
    )
    func timeInParts(time: JSONValue) throws {
        guard case .object(var entry) = Self.entry() else { return }
        entry["time"] = time
        entry["timings"] = [
            "blocked": 1, "dns": -1, "connect": 10, "ssl": 8, "send": .null, "wait": 19,
            "receive": 1,
        ]
        for (creator, seconds) in [("mitmproxy", 0.021), ("Playwright", 0.031)] {
            let capture = try HARCapture(reading: Self.bytes([.object(entry)], creator: creator))
            let taken = capture.endedAt.now.seconds(since: capture.startedAt.now)
            #expect(abs(taken - seconds) < 0.000_001, "\(creator)")
        }
    }

    @Test("has nothing of caches, service workers and other schemes")
    func skipped() throws {
        guard case .object(var cached) = Self.entry(), case .object(var worker) = Self.entry()
        else {
            return
        }
        cached["_fromCache"] = "memory"
        worker["response"] = ["status": 200, "_fetchedViaServiceWorker": true]
        let capture = try HARCapture(
            reading: Self.bytes([
                .object(cached), .object(worker), Self.entry("GET", "data:text/plain,hello"),
                Self.entry("GET", "chrome-extension://abc/page.js"), Self.entry(),
            ])
        )
        #expect(capture.count == 1 && capture.skipped == 4)
        #expect(!capture.hasCredentials)
    }

    @Test(
        "without one entry that is malformed is read, and that is named with its key",
        arguments: [
            ("request.url", JSONValue.integer(3), "expected text, found a number"),
            ("request.url", "nonsense", "expected a URL, found another text"),
            ("request.url", "http:///path", "expected a URL with a host, found another text"),
            ("request.method", .null, "expected a value, found none"),
            ("request.headers", "a: b", "expected an array, found another text"),
            ("startedDateTime", "yesterday", "expected a time as ISO 8601 has it"),
            ("response.status", "200", "expected a number, found another text"),
            ("response.status", 2_000, "expected a status of HTTP, found a number"),
            ("time", true, "expected a number, found true or false"),
            ("request", JSONValue.array([]), "expected an object, found an array"),
        ]
    )
    func malformed(path: String, value: JSONValue, message: String) throws {
        let entry = Self.changing(
            Self.login,
            path.split(separator: ".").map(String.init),
            to: value
        )
        let capture = try HARCapture(reading: Self.bytes([Self.entry(), entry]))
        #expect(capture.count == 1)
        let problem = try #require(capture.leftOut.first)
        #expect(problem.place == "log.entries[1].\(path)")
        #expect(problem.message.hasPrefix(message), "\(problem.message)")
        // None of all is an archive of nothing.
        let refusal = #expect(throws: HARProblem.self) {
            try HARCapture(reading: Self.bytes([entry, entry]))
        }
        #expect(refusal?.place == "log.entries[0].\(path)")
    }

    @Test("lets nothing be certain without an entry that may belong to what the others show")
    func leftOut() throws {
        func race(beside entry: JSONValue) throws -> ObservedFinding? {
            let run = try Self.run([
                Self.login, Self.refresh(at: 5.2, taking: 400), Self.refresh(at: 5.4, taking: 400),
                Self.changing(entry, ["startedDateTime"], to: .null),
            ])
            return run.findings.first { $0.rule == "race" }
        }
        let picture = Self.entry("GET", "https://cdn.example.com/logo.png")
        #expect(try race(beside: picture)?.confidence == .certain)
        #expect(try race(beside: Self.entry())?.confidence == .likely)
        let elsewhere = Self.entry("POST", "https://login.example.com/token")
        #expect(try race(beside: elsewhere)?.confidence == .likely)
    }

    @Test("has no answer with a status that tools write for none", arguments: [0, -1, -999])
    func noAnswer(status: Int64) throws {
        let capture = try HARCapture(reading: Self.bytes([Self.entry("GET", status)]))
        #expect(capture.leftOut.isEmpty)
        guard case .failed? = capture.steps.last?.input.kind else {
            Issue.record("an answer")
            return
        }
    }

    @Test("has a form's fields as they were parsed")
    func parsedFields() throws {
        let fields: JSONValue = [["name": "n", "value": 7], ["name": "o", "value": ["a": 1]]]
        let data: JSONValue = ["mimeType": "application/x-www-form-urlencoded", "params": fields]
        let entry = Self.changing(Self.entry("POST", 200), ["request", "postData"], to: data)
        let capture = try HARCapture(reading: Self.bytes([entry]))
        let bodies = capture.steps.compactMap { step -> [UInt8]? in
            if case .requestBody(let body) = step.input.kind { body } else { nil }
        }
        #expect(bodies.map { String(decoding: $0, as: UTF8.self) } == ["n=7&o=%7B%22a%22%3A1%7D"])
    }

    private static func entry(_ method: String, _ status: Int64) -> JSONValue {
        entry(method, "https://api.example.com/items", status)
    }

    private static func answer(
        _ content: JSONValue,
        file: [String: String] = [:]
    ) throws -> String {
        let entry = changing(entry(), ["response", "content"], to: content)
        let capture = try HARCapture(reading: bytes([entry])) { file[$0].map { Array($0.utf8) } }
        for step in capture.steps {
            if case .responseBody(let body) = step.input.kind {
                return String(decoding: body, as: UTF8.self)
            }
        }
        return ""
    }

    @Test(
        "has a body in base64 of any form, and one that is none as it is",
        arguments: [
            ("eyJhIjoiPz8/In0=", "{\"a\":\"???\"}"), ("eyJhIjoi\r\nPz8/In0", "{\"a\":\"???\"}"),
            ("eyJhIjoiPz8_In0", "{\"a\":\"???\"}"), ("<svg/>", "<svg/>"), ("{}", "{}"),
        ]
    )
    func base64(text: String, body: String) throws {
        let content: JSONValue = [
            "mimeType": "application/json", "text": .string(text), "encoding": "base64",
        ]
        #expect(try Self.answer(content) == body)
    }

    @Test("has the body that is in a file beside it, and counts one that is in none")
    func file() throws {
        let content: JSONValue = ["mimeType": "application/json", "size": 2, "_file": "a.json"]
        #expect(try Self.answer(content, file: ["a.json": "{}"]) == "{}")
        for name in ["../a.json", "/etc/passwd", "b/a.json", ".ssh", "a\\b", ""] {
            let other = Self.changing(content, ["_file"], to: .string(name))
            #expect(try Self.answer(other, file: [name: "{}"]) == "", "\(name)")
        }
        let entry = Self.changing(Self.entry(), ["response", "content"], to: content)
        #expect(try HARCapture(reading: Self.bytes([entry])).missingBodies == 1)
        let picture = Self.changing(entry, ["response", "content", "mimeType"], to: "image/png")
        #expect(try HARCapture(reading: Self.bytes([picture])).missingBodies == 0)
        #expect(try HARCapture(reading: Self.bytes([Self.login])).missingBodies == 0)
    }

    @Test("is read in UTF-16, after a byte order mark, and inside a call")
    func wrapped() throws {
        let bytes = Self.bytes([Self.login])
        let units = String(decoding: bytes, as: UTF8.self).utf16
        let little: [UInt8] = [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big: [UInt8] = [0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let call = Array("onInputData(".utf8) + bytes + Array(");\n".utf8)
        for form in [[0xEF, 0xBB, 0xBF] + bytes, little, big, call] {
            #expect(try HARCapture(reading: form).count == 1)
        }
        #expect(throws: HARProblem.self) { try HARCapture(reading: call + bytes) }
    }

    @Test("says what was seen of it, also where nothing can be judged")
    func coverage() throws {
        func coverage(_ entries: [JSONValue]) throws -> ObservedCoverage {
            let run = try Self.run(entries)
            let all = run.recording.events.compactMap { $0.kind as? ObservedCoverage }
            #expect(all.count == 1)
            return try #require(all.last)
        }
        let refused = Self.entry("GET", "https://other.example.com/me", at: 1, 401)
        let healthy = try coverage([Self.login, Self.refresh(at: 5.1, taking: 9), refused])
        #expect(healthy.exchanges == 3 && healthy.origins == 2 && healthy.sessionCount == 1)
        #expect(healthy.accessTokens == 2 && healthy.refreshTokens == 2)
        #expect(healthy.strayRefusals == 1 && healthy.count(.live) == 1)
        let redacted = Self.entry(headers: [("Authorization", "Bearer REDACTED")])
        let nothing = try coverage([redacted, Self.entry()])
        #expect(nothing.sessionCount == 0 && nothing.redacted == 1 && nothing.accessTokens == 0)
    }

    private static func changing(
        _ value: JSONValue,
        _ path: [String],
        to new: JSONValue
    ) -> JSONValue {
        guard let key = path.first, case .object(var members) = value else { return new }
        members[key] = changing(members[key] ?? [:], Array(path.dropFirst()), to: new)
        return .object(members)
    }

    @Test(
        "that is none is refused",
        arguments: [
            ("", "the file"), ("{\"log\": ", "the file"), ("{}", "log"), ("[1]", "the file"),
            ("{\"log\": {}}", "log.entries"), ("{\"log\": {\"entries\": 1}}", "log.entries"),
        ]
    )
    func none(text: String, place: String) {
        let problem = #expect(throws: HARProblem.self) { try HARCapture(reading: Array(text.utf8)) }
        #expect(problem?.place == place)
    }

    @Test("of any kind, with any value at any place, is read or refused, and never more than that")
    func hostile() {
        let values: [JSONValue] = [
            .null, true, -1, .number(1e300), "", "x", "https://h", [], [:], [["name": "a"]],
        ]
        let keys = ["startedDateTime", "time", "request", "response", "connection", "timings"]
        let inner = ["url", "method", "headers", "cookies", "postData", "status", "content"]
        for value in values {
            for key in keys {
                let one = Self.changing(Self.login, [key], to: value)
                _ = try? Self.run([one, Self.login])
                for deeper in inner {
                    _ = try? Self.run([Self.changing(one, [key, deeper], to: value), Self.login])
                }
            }
        }
    }

    @Test("counts the exchanges in which a tool has taken tokens out")
    func redacted() throws {
        let login = Self.entry(
            "POST",
            "https://api.example.com/login",
            json: ["password": "correct"],
            200,
            ["access_token": "[access_token redacted]"]
        )
        let items = Self.entry(at: 1, headers: [("Authorization", "Bearer REDACTED")])
        let other = Self.entry(at: 2)
        let capture = try HARCapture(reading: Self.bytes([login, items, other]))
        #expect(capture.redacted == 2)
    }

    @Test("has bytes that are not UTF-8, as mitmproxy writes them")
    func surrogates() throws {
        let items = Self.entry(headers: [("X-City", "Z-rich")])
        let text = String(decoding: Self.bytes([items]), as: UTF8.self)
            .replacing("Z-rich", with: "Z\\udcfcrich")
        let capture = try HARCapture(reading: Array(text.utf8))
        guard case .requestHead(let head, _, _)? = capture.steps.first?.input.kind else {
            Issue.record("no head")
            return
        }
        #expect(head.headers.first?.value == "Z\u{FFFD}rich")
    }

    @Test(
        "has no whole answer for an app that did not wait for it",
        arguments: ["net::ERR_ABORTED", "answered 200, not delivered"]
    )
    func undelivered(error: String) throws {
        guard case .object(var entry) = Self.entry() else { return }
        entry["_error"] = .string(error)
        let capture = try HARCapture(reading: Self.bytes([.object(entry)]))
        guard case .delivered(whole: false)? = capture.steps.last?.input.kind else {
            Issue.record("delivered")
            return
        }
    }
}
