import FoundationEssentials
import Profiles
import Testing

@testable import Basics
@testable import Model
@testable import Observer

@Suite("A recording of an app's traffic")
struct ObservationRecordingTests {
    /// An app with the usual mistakes: a race, a spent refresh token, 401s, and a socket.
    private static var script: TrafficScript {
        var script = TrafficScript()
        script.logIn()
        let socket = script.dial("/feed?access_token=\(TrafficScript.access(1))")
        script.open(socket)
        script.push(socket, ["type": "message", "seq": 1])
        let first = script.askRefresh(1)
        script.wait(0.1)
        let second = script.askRefresh(1)
        script.finish(first, 200, TrafficScript.pair(2))
        script.finish(second, 400, ["error": "invalid_grant"])
        script.wait(2)
        script.refuseRefresh(1)
        for _ in 0..<6 {
            script.wait(0.5)
            script.call(2, "/items", 401)
        }
        script.close(socket, by: .backend, code: 4001)
        let lost = script.askRefresh(2)
        script.fail(lost, .unanswered(message: "connection reset"))
        return script
    }

    private static func header(of run: ObservationRun) -> ObservationRecording.Header {
        ObservationRecording.Header(
            of: run.machine.configuration,
            startedAt: TrafficScript.moment(0)
        )
    }

    private static func text(of run: ObservationRun, limit: Int = Recording.sizeLimit) -> String {
        var lines = RecordingLines(limit: limit)
        var text = lines.begin(header(of: run))
        for (input, moment) in run.inputs { text += lines.add(input, at: moment) ?? "" }
        return text + (lines.finish(at: TrafficScript.moment(200), .ended) ?? "")
    }

    @Test("leads to the same events and findings when it is read again")
    func same() throws {
        let run = ObservationRun(Self.script)
        #expect(
            Set(run.findings.map(\.rule)).isSuperset(of: ["race", "spent-refresh", "loop-401"])
        )
        let read = try ObservationRecording(reading: Array(Self.text(of: run).utf8))
        #expect(read.header == Self.header(of: run))
        #expect(read.end?.end == .ended)
        #expect(read.entries.count == run.inputs.count)
        #expect(read.observed.findings == run.findings)
        #expect(read.observed.recording.events.filter(Self.isOfRun) == run.events)
    }

    /// Whether it is not what is told at the end.
    private static func isOfRun(_ event: SessionEvent) -> Bool {
        !(event.kind is ObservedCoverage)
    }

    @Test("is read as such beside the recordings of events")
    func kinds() throws {
        let run = ObservationRun(Self.script)
        let bytes = Array(Self.text(of: run).utf8)
        let recorded = try RecordedRun(reading: bytes)
        #expect(recorded.recording.events.filter(Self.isOfRun) == run.events)
        #expect(recorded.observed?.traffic.exchanges.count == 12)
        #expect(throws: RecordingProblem.self) { try Recording(reading: bytes) }
    }

    @Test("has no token, password or message in it")
    func secrets() {
        let text = Self.text(of: ObservationRun(Self.script))
        let secrets =
            (1...2).flatMap { [TrafficScript.access($0), TrafficScript.refresh($0)] } + ["correct"]
        for secret in secrets { #expect(!text.contains(secret)) }
    }

    @Test("has no token that an answer issued and a path repeats, whatever it looks like")
    func paths() throws {
        for token in TrafficReaderTests.plainTokens {
            var script = TrafficScript()
            let login = script.send("POST", "/login", json: ["password": "correct"])
            script.finish(login, 200, ["access_token": .string(token), "tokens": [.string(token)]])
            let written = FormEncoding.encode([(name: "", value: token)]).dropFirst()
            let info = script.send("GET", "/oauth/access-tokens/\(written)")
            script.finish(info, 404, ["message": .string("no \(token)")])
            let run = ObservationRun(script)
            let archive = HARDocument.json(of: run.machine.traffic, run.findings, version: "1")
            let events = try run.events.map { event in
                String(decoding: try JSONEncoder().encode(event), as: UTF8.self)
            }
            for text in [Self.text(of: run), archive.serialized] + events {
                #expect(!text.contains(token) && !text.contains(written), "\(text)")
            }
        }
    }

    @Test("stays within its limit, and says so in its last line", arguments: [2_000, 6_000])
    func limit(bytes: Int) throws {
        let text = Self.text(of: ObservationRun(Self.script), limit: bytes)
        #expect(text.utf8.count <= bytes)
        let read = try ObservationRecording(reading: Array(text.utf8))
        #expect(read.end?.end == .limit)
        #expect(read.entries.count < 20)
    }

    @Test("that is malformed is refused with its line and member")
    func malformed() throws {
        var lines = Self.text(of: ObservationRun(Self.script)).split(separator: "\n")
            .map(String.init)
        lines[2] = lines[2].replacing("\"exchange\":", with: "\"exchanges\":")
        let text = lines.map { $0 + "\n" }.joined()
        let problem = #expect(throws: RecordingProblem.self) {
            try ObservationRecording(reading: Array(text.utf8))
        }
        #expect(problem?.line == 3)
        #expect(problem?.message.contains("no member “input.exchange”") == true)
        let later = lines[0].replacing("\"version\":1", with: "\"version\":2") + "\n"
        let other = #expect(throws: RecordingProblem.self) {
            try RecordedRun(reading: Array(later.utf8))
        }
        #expect(other?.message.contains("expected version 1 of the format, found 2") == true)
    }

    @Test("as an archive has each token as its fingerprint, and what was found in each exchange")
    func archive() throws {
        let run = ObservationRun(Self.script)
        let document = HARDocument.json(of: run.machine.traffic, run.findings, version: "1.0")
        let text = document.serialized
        #expect(!text.contains("token-of-generation"))
        let capture = try HARCapture(reading: Array(text.utf8))
        #expect(capture.count == 12)
        guard case .array(let entries)? = document.value(at: "log.entries") else {
            Issue.record("no entries")
            return
        }
        let access = ObservationRun.fingerprinter
            .fingerprint(of: Secret(TrafficScript.access(2))).digits
        let call = try #require(
            entries.first { $0.value(at: "request.url")?.stringValue?.hasSuffix("/items") == true }
        )
        #expect(call.serialized.contains("\"value\":\"Bearer authtop:\(access)\""))
        #expect(call.value(at: "_resourceType")?.stringValue == "fetch")
        let racing = entries.filter {
            $0.value(at: "_findings")?.serialized.contains("race") == true
        }
        #expect(
            racing.compactMap { $0.value(at: "comment")?.stringValue }
                // The winner's token is refused afterwards.
                == ["1 #3: refresh", "1 #4: refresh", "1 #6: protected"]
        )
        #expect(racing.allSatisfy { $0.value(at: "_session")?.stringValue == "1" })
        let socket = try #require(entries.first { $0.value(at: "response.status") == 101 })
        let first = ObservationRun.fingerprinter
            .fingerprint(of: Secret(TrafficScript.access(1))).digits
        #expect(
            socket.value(at: "request.url")?.stringValue
                == "https://api.example.com/feed?access_token=authtop:\(first)"
        )
        #expect(socket.value(at: "_resourceType")?.stringValue == "websocket")
    }

    @Test(
        "as an archive has the fields of requests' bodies, and nothing in them that may be secret"
    )
    func bodies() throws {
        var script = TrafficScript()
        script.logIn()
        let grant = script.send(
            "POST",
            "/token",
            form: "grant_type=refresh_token&refresh_token=\(TrafficScript.refresh(1))&note=private"
        )
        script.finish(grant, 200, TrafficScript.pair(2))
        _ = script.send("POST", "/echo", json: ["user": ["pin": "1234", "grant_type": "a b&c"]])
        let entries = try Self.entries(of: ObservationRun(script))
        let bodies = entries.map { $0.value(at: "request.postData.text")?.stringValue }
        let refresh = ObservationRun.fingerprinter
            .fingerprint(of: Secret(TrafficScript.refresh(1))).digits
        #expect(
            bodies == [
                #"{"password":"authtop:hidden","username":"authtop:hidden"}"#,
                "grant_type=refresh_token&note=authtop%3Ahidden&refresh_token=authtop%3A\(refresh)",
                #"{"user":{"grant_type":"a b&c","pin":"authtop:hidden"}}"#,
            ]
        )
        let types = entries.map { $0.value(at: "request.postData.mimeType")?.stringValue }
        #expect(
            types == [
                "application/json", "application/x-www-form-urlencoded", "application/json",
            ]
        )
    }

    @Test("as an archive has the newest messages of a socket, as Chromium names them")
    func messages() throws {
        var script = TrafficScript()
        script.logIn(life: 3_600)
        let socket = script.dial("/feed")
        script.open(socket)
        script.push(
            socket,
            from: .app,
            ["type": "auth", "token": .string(TrafficScript.access(1))]
        )
        for number in 1...200 {
            script.push(socket, ["seq": .integer(Int64(number)), "text": "a private message"])
        }
        script.pushBinary(socket, [1, 2, 3])
        let run = ObservationRun(script)
        let first = try #require(
            run.machine.traffic.exchanges.last { $0.purpose == .socket }?.messages.first
        )
        #expect(first.facts.number ?? 0 > 1)
        let entries = try Self.entries(of: run)
        guard case .array(let messages)? = entries.last?.value(at: "_webSocketMessages") else {
            Issue.record("no messages")
            return
        }
        #expect((32...ObservedExchange.messageLimit).contains(messages.count))
        #expect(messages[messages.count - 2].value(at: "data")?.stringValue == #"{"id":200}"#)
        #expect(messages.last?.value(at: "opcode") == 2)
        #expect(messages.last?.value(at: "_bytes") == 3)
        #expect(messages.last?.value(at: "type")?.stringValue == "receive")
        #expect(!entries.map(\.serialized).joined().contains("private"))
    }

    @Test("as an archive names the token that a message of the app presents")
    func messageTokens() throws {
        var script = TrafficScript()
        script.logIn()
        let socket = script.dial("/feed")
        script.open(socket)
        script.push(
            socket,
            from: .app,
            ["type": "auth", "token": .string(TrafficScript.access(1))]
        )
        let entries = try Self.entries(of: ObservationRun(script))
        let access = ObservationRun.fingerprinter
            .fingerprint(of: Secret(TrafficScript.access(1))).digits
        guard case .array(let messages)? = entries.last?.value(at: "_webSocketMessages") else {
            Issue.record("no messages")
            return
        }
        #expect(messages.map { $0.value(at: "type")?.stringValue } == ["send"])
        #expect(
            messages[0].value(at: "data")?.stringValue
                == #"{"token":"authtop:\#(access)","type":"auth"}"#
        )
        #expect(messages[0].value(at: "time")?.numberValue != nil)
    }

    @Test("as an archive has the protocol of each exchange, also of those whose heads are not kept")
    func protocolVersion() throws {
        var script = TrafficScript()
        for isHTTP2 in [true, false] {
            let item = script.send("GET", "/items")
            script.answer(item, isHTTP2: isHTTP2)
            script.deliver(item)
        }
        let entries = try Self.entries(of: ObservationRun(script))
        for member in ["request.httpVersion", "response.httpVersion"] {
            #expect(entries.map { $0.value(at: member) } == ["HTTP/2", "HTTP/1.1"])
        }
    }

    private static func entries(of run: ObservationRun) throws -> [JSONValue] {
        let document = HARDocument.json(of: run.machine.traffic, run.findings, version: "1.0")
        let text = document.serialized
        #expect(!text.contains("token-of-generation"))
        _ = try HARCapture(reading: Array(text.utf8))
        guard case .array(let entries)? = document.value(at: "log.entries") else { return [] }
        return entries
    }
}
