import Basics
import Client
import Model
import Platform
import Profiles
import Synchronization
import Testing

@Suite("Token transport: answers that are no HTTP/2", .timeLimit(.minutes(20)))
struct HTTP2ViolationTests {
    typealias Bytes = HTTP2Bytes
    typealias Answer = RawHTTP2Server.Answer

    /// The requests to a server that answers each with what `answer` makes of its stream.
    private func exchange<Value: Sendable>(
        _ answer: @escaping @Sendable (UInt32) -> Answer,
        _ body: (HTTPTokenTransport, RawHTTP2Server) async throws -> Value
    ) async throws -> Value {
        try await exchange(RawHTTP2Server.Behavior { _, stream in answer(stream) }, body)
    }

    private func exchange<Value: Sendable>(
        _ behavior: RawHTTP2Server.Behavior,
        _ body: (HTTPTokenTransport, RawHTTP2Server) async throws -> Value
    ) async throws -> Value {
        try await CertificateAuthority.with { authority in
            let trust = try TrustRoots(caFile: authority.caFile)
            return try await RawHTTP2Server.run(behavior, tls: authority.http2) { server in
                try await withTestNetwork(trust: trust) { network in
                    let origin = try BackendOrigin(parsing: "https://localhost:\(server.port)")
                    return try await body(network.tokenTransport(to: origin), server)
                }
            }
        }
    }

    /// Expects the same fault on a connection of its own and on a shared one.
    private func expect(
        _ fault: String,
        for answer: @escaping @Sendable (UInt32) -> Answer
    ) async throws {
        try await exchange(answer) { transport, server in
            for use in [ConnectionUse.own, .shared] {
                let report = await transport.send(.refresh, use, within: .seconds(300))
                #expect(
                    report.unanswered == "localhost:\(server.port) \(fault)",
                    "\(report.notSent ?? "answered")"
                )
            }
        }
    }

    @Test(
        "a :status other than three digits from 100 to 599 is refused",
        arguments: [
            "-1", "", "1000", "1999", "+200", "99999", "099", "000", "600", "999", "20", "1e2",
            " 200", "200 ", "2\u{660}0", "१००", "2\u{301}00",
        ]
    )
    func status(status: String) async throws {
        let said = "violates HTTP/2: :status is not three digits from 100 to 599"
        try await expect(said) { stream in
            // A status that begins with a 1 is an interim response to NIO, which another one
            // follows.
            let rest =
                status.utf8.first == UInt8(ascii: "1") ? Bytes.answer : { Bytes.data($0, "") }
            return Answer(Bytes.headers(stream, [":status": status]) + rest(stream))
        }
    }

    private static let headCases: [(String, KeyValuePairs<String, String>)] = [
        ("pseudo-header fields that are not one :status, at the start", ["a": "b"]),
        (
            "pseudo-header fields that are not one :status, at the start",
            [":status": "200", ":status": "200"]
        ),
        (
            "pseudo-header fields that are not one :status, at the start",
            ["a": "b", ":status": "200"]
        ),
        (
            "pseudo-header fields that are not one :status, at the start",
            [":status": "200", ":path": "/"]
        ),
        (
            "pseudo-header fields that are not one :status, at the start",
            [":status": "200", ":x": "y"]
        ),
        ("a header's name is not a token in lower case", [":status": "200", "X-A": "b"]),
        ("a header's name is not a token in lower case", [":status": "200", "a b": "c"]),
        (
            "a header that belongs to HTTP/1.1, such as Connection",
            [":status": "200", "connection": "close"]
        ),
        (
            "a header that belongs to HTTP/1.1, such as Connection",
            [":status": "200", "transfer-encoding": "chunked"]
        ),
        ("a header contains a line break or a NUL", [":status": "200", "a": "b\r\nc: d"]),
        (
            "the body is not as long as Content-Length says",
            [":status": "200", "content-length": "9"]
        ),
        (
            "the body is not as long as Content-Length says",
            [":status": "200", "content-length": "-2"]
        ),
    ]

    @Test("a head that breaks a rule is refused by the rule's name", arguments: headCases.indices)
    func heads(index: Int) async throws {
        let (rule, fields) = Self.headCases[index]
        try await expect("violates HTTP/2: \(rule)") {
            Answer(Bytes.headers($0, fields) + Bytes.data($0, "{}"))
        }
    }

    @Test("the head of an interim response and trailers have the same rules")
    func otherBlocks() async throws {
        let status = "violates HTTP/2: :status is not three digits from 100 to 599"
        try await expect(status) {
            Answer(Bytes.headers($0, [":status": "103"]) + Bytes.headers($0, [":status": "-1"]))
        }
        try await expect("violates HTTP/2: the answer ends with an interim response (1xx)") {
            Answer(Bytes.headers($0, [":status": "100"], endsStream: true))
        }
        let head: @Sendable (UInt32) -> [UInt8] = {
            Bytes.headers($0, [":status": "200"]) + Bytes.data($0, "{}", endsStream: false)
        }
        let pseudo = "violates HTTP/2: pseudo-header fields that are not one :status, at the start"
        try await expect(pseudo) {
            Answer(head($0) + Bytes.headers($0, [":status": "200"], endsStream: true))
        }
        try await expect("violates HTTP/2: headers after the body that do not end the answer") {
            Answer(head($0) + Bytes.headers($0, ["a": "b"]))
        }
        try await exchange({ Answer(head($0) + Bytes.headers($0, ["a": "b"], endsStream: true)) }) {
            transport,
            _ in
            #expect(await transport.send(.refresh).answer?.status == 200)
        }
    }

    private static let frameCases: [(String, @Sendable (UInt32) -> [UInt8])] = [
        ("PUSH_PROMISE, which is turned off", { Bytes.push($0) }),
        (
            "a window of flow control that is not allowed",
            { _ in Bytes.windowUpdate(0, by: Bytes.maximum) }
        ),
        ("a window of flow control that is not allowed", { _ in Bytes.windowUpdate(0, by: 0) }),
        ("SETTINGS that are not allowed", { _ in Bytes.setting(4, .max) }),
        ("SETTINGS that are not allowed", { _ in Bytes.frame(.settings, flags: 1) }),
        (
            "headers that cannot be decompressed (HPACK), or are over 16 KiB",
            { Bytes.frame(.headers, flags: 4, stream: $0, [255, 255, 255, 255, 255]) }
        ),
        (
            "a frame that cannot be read (FRAME_SIZE_ERROR)",
            { _ in Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".utf8) }
        ),
        ("a frame that does not belong to its stream", { Bytes.data($0, "{}") }),
        ("a frame that does not belong to its stream", { _ in Bytes.answer(77) }),
        (
            "a second GOAWAY with a higher stream",
            { Bytes.goAway(last: $0, code: 0) + Bytes.goAway(last: Bytes.maximum, code: 0) }
        ),
    ]

    @Test("an error of the connection is told at once", arguments: frameCases.indices)
    func frames(index: Int) async throws {
        let (rule, frame) = Self.frameCases[index]
        try await expect("violates HTTP/2: \(rule)") { Answer(frame($0)) }
    }

    private static let greetingCases: [(String, [UInt8])] = [
        ("violates HTTP/2: it does not begin with SETTINGS", Bytes.answer(1)),
        ("violates HTTP/2: it does not begin with SETTINGS", Bytes.goAway(last: 0, code: 1)),
        ("violates HTTP/2: SETTINGS that are not allowed", Bytes.setting(4, .max)),
        (
            "violates HTTP/2: SETTINGS that are not allowed",
            Bytes.frame(.settings, [0, 8, 0, 0, 0, 1, 0, 8, 0, 0, 0, 0])
        ),
        (
            "violates HTTP/2: a frame that cannot be read (FRAME_SIZE_ERROR)",
            Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
        ),
        (
            "violates HTTP/2: a frame that cannot be read (FRAME_SIZE_ERROR)",
            [UInt8](repeating: 255, count: 8 << 20)
        ),
        (
            "violates HTTP/2: too many frames without content",
            (0..<2_000).flatMap { _ in Bytes.settings }
        ),
        ("sent no valid SETTINGS of HTTP/2 within 5 s", []),
        (
            "allowed no request on its connection within 5 s: MAX_CONCURRENT_STREAMS is 0",
            Bytes.setting(3, 0)
        ),
    ]

    @Test(
        "a connection that does not begin with SETTINGS ends, and blocks no later request",
        arguments: greetingCases.indices
    )
    func greetings(index: Int) async throws {
        let (rule, greeting) = Self.greetingCases[index]
        let isGood = Mutex(false)
        let behavior = RawHTTP2Server.Behavior(
            greeting: { _ in isGood.withLock { $0 } ? Bytes.settings : greeting },
            answer: { Answer(Bytes.answer($1)) }
        )
        try await exchange(behavior) { transport, server in
            for use in [ConnectionUse.own, .shared] {
                isGood.withLock { $0 = false }
                let said = "localhost:\(server.port) \(rule)"
                // A guard that comes after the handshake on a busy machine has missed the reason.
                var reports: [TransportReport] = []
                var found: String?
                while reports.count < 5, found != said {
                    let report = await transport.send(.refresh, use)
                    // After its first SETTINGS a server may get the request before it is refused.
                    found = report.notSent ?? report.unanswered
                    reports.append(report)
                }
                #expect(found == said, "\(reports.map(\.outcome))")
                isGood.withLock { $0 = true }
                let report = await Self.sent(.refresh, by: transport, on: use, insteadOf: rule)
                #expect(report.answer?.status == 200, "\(report.outcome)")
            }
        }
    }

    private static let floodCases: [(String, @Sendable (UInt32) -> Answer)] = [
        ("too many frames without content", { _ in flood(Bytes.settings) }),
        (
            "too many frames without content",
            { _ in flood(Bytes.frame(.ping, Array("12345678".utf8))) }
        ),
        (
            "too many frames without content",
            {
                flood(
                    Bytes.data($0, "", endsStream: false),
                    after: Bytes.headers($0, [":status": "200"])
                )
            }
        ),
        (
            "too many frames without content",
            { flood(Bytes.frame(.priority, stream: $0 + 2, [0, 0, 0, 1, 1])) }
        ),
        (
            "too many frames without content",
            {
                flood(
                    Bytes.frame(.continuation, stream: $0),
                    after: Bytes.frame(.headers, stream: $0, Bytes.block([(":status", "200")]))
                )
            }
        ),
        ("over 1 MiB around the bodies", { _ in flood(Bytes.windowUpdate(0, by: 1)) }),
        (
            "over 1 MiB around the bodies",
            { _ in flood(Bytes.frame(.unknown, Array(repeating: 7, count: 16_000))) }
        ),
        (
            "over 1 MiB around the bodies",
            { flood(Bytes.goAway(last: $0, code: 0, String(repeating: "x", count: 16_000))) }
        ),
    ]

    private static func flood(_ frame: [UInt8], after head: [UInt8] = []) -> Answer {
        let count = max(50, 16_384 / frame.count)
        return Answer(head, thenEndlessly: (0..<count).flatMap { _ in frame })
    }

    @Test("a flood ends with its connection, and is told as that", arguments: floodCases.indices)
    func floods(index: Int) async throws {
        let (rule, answer) = Self.floodCases[index]
        try await expect("violates HTTP/2: \(rule)", for: answer)
    }

    @Test("small frames with content are a body like any other, with padding too")
    func smallFrames() async throws {
        let count = 12_000
        let padded = [80] + Array("12345678".utf8) + [UInt8](repeating: 0, count: 80)
        try await exchange({ stream in
            let frame = Bytes.frame(.data, flags: 8, stream: stream, padded)
            let body = (0..<count).flatMap { _ in frame }
            let head = Bytes.headers(stream, [":status": "200"])
            return Answer(head + body + Bytes.data(stream, ""))
        }) { transport, _ in
            let report = await transport.send(.refresh, within: .seconds(300))
            #expect(report.answer?.body.count == 8 * count, "\(report.unanswered ?? "")")
        }
    }

    /// Sends a request on a connection that is not being closed just when the pool chooses it, be it
    /// for a fault or since a busy machine comes to the next request only after some seconds.
    private static func sent(
        _ request: WireRequest,
        by transport: HTTPTokenTransport,
        on use: ConnectionUse = .shared,
        within limit: Duration = .seconds(30),
        insteadOf fault: String = "closed before the request was sent"
    ) async -> TransportReport {
        let endings = [fault, "closed before the request was sent"]
        var report = await transport.send(request, use, within: limit)
        for _ in 0..<9 {
            guard let said = report.notSent, endings.contains(where: said.hasSuffix) else { break }
            report = await transport.send(request, use, within: limit)
        }
        return report
    }

    @Test("settings that a server sends again after its answer change nothing")
    func settingsAgain() async throws {
        let again = [UInt32(1), 0, 100].flatMap { Bytes.setting(3, $0) }
        try await exchange({ Answer(Bytes.answer($0) + again) }) { transport, _ in
            for _ in 0..<3 {
                #expect(await Self.sent(.protected, by: transport).answer?.status == 200)
            }
        }
    }

    @Test("a server that allows requests only after a while gets them then")
    func laterStreams() async throws {
        let greeting = Bytes.setting(3, 0) + Bytes.settings + Bytes.setting(3, 1)
        let behavior = RawHTTP2Server.Behavior(
            greeting: { _ in greeting },
            answer: { Answer(Bytes.answer($1)) }
        )
        try await exchange(behavior) { transport, _ in
            for use in [ConnectionUse.own, .shared, .shared] {
                #expect(await transport.send(.refresh, use).answer?.status == 200)
            }
        }
    }

    @Test("a request that is answered before its body has room blocks no later one")
    func noRoomForBody() async throws {
        // One stream at a time (3), each with a window of nothing (4).
        let greeting = Bytes.frame(.settings, [0, 3, 0, 0, 0, 1, 0, 4, 0, 0, 0, 0])
        let behavior = RawHTTP2Server.Behavior(
            greeting: { _ in greeting },
            answersEarly: true,
            answer: { Answer(Bytes.answer($1)) }
        )
        try await exchange(behavior) { transport, _ in
            for _ in 1...3 {
                let report = await transport.send(.refresh, .shared)
                #expect(report.answer?.status == 200, "\(report.notSent ?? "")")
            }
        }
    }

    @Test("a connection on which the server allows no more requests gets none")
    func noMoreStreams() async throws {
        try await exchange({ Answer(Bytes.answer($0) + Bytes.setting(3, 0)) }) { transport, _ in
            for _ in 0..<3 {
                let report = await Self.sent(.protected, by: transport, within: .seconds(10))
                #expect(report.answer?.status == 200, "\(report.outcome)")
            }
        }
    }

    private static let lastAnswers: [@Sendable (UInt32) -> [UInt8]] = [
        { Bytes.headers($0, [":status": "-1"]) },
        { Bytes.answer($0) + Bytes.goAway(last: $0, code: 0) },
        { Bytes.goAway(last: $0, code: 0) + Bytes.answer($0) },
        { Bytes.answer($0) + Bytes.setting(3, 0) },
        { Bytes.frame(.reset, stream: $0, Bytes.bytes(8)) },
        { Bytes.data($0, "{}") },
        { _ in [] },
    ]

    @Test(
        "the client closes a connection that gets no more requests, and one without use",
        arguments: lastAnswers.indices,
        [true, false]
    )
    func closes(index: Int, answersEarly: Bool) async throws {
        let behavior = RawHTTP2Server.Behavior(answersEarly: answersEarly) {
            Answer(Self.lastAnswers[index]($1))
        }
        try await exchange(behavior) { transport, server in
            for use in [ConnectionUse.own, .shared] {
                _ = await transport.send(.refresh, use, within: .seconds(1))
            }
            try await server.waitUntilClosed()
        }
    }

    @Test(
        "a request that is given up just before it is written takes no connection from later ones",
        arguments: [ConnectionUse.own, .shared]
    )
    func givenUpOnItsStream(use: ConnectionUse) async throws {
        let request = Mutex<Task<TransportReport, Never>?>(nil)
        let behavior = RawHTTP2Server.Behavior(
            greeting: { number in
                if number.isMultiple(of: 2) { request.withLock { $0 }?.cancel() }
                return Bytes.settings
            },
            answer: { Answer(Bytes.answer($1) + Bytes.goAway(last: $1, code: 0)) }
        )
        try await exchange(behavior) { transport, server in
            let none = "no free connection to localhost:\(server.port)"
            for _ in 0..<20 {
                let task = Task { await transport.send(.refresh, use, within: .seconds(60)) }
                request.withLock { $0 = task }
                let report = await task.value
                guard report.notSent != none else { break }
            }
            // A busy machine may have none in time, but has one at last.
            let report = await Self.sent(.refresh, by: transport, on: use, insteadOf: none)
            #expect(report.answer?.status == 200, "\(report.outcome)")
            try await server.waitUntilClosed()
        }
    }

    @Test("a connection that comes after its request was given up is closed, without SETTINGS too")
    func lateConnection() async throws {
        let behavior = RawHTTP2Server.Behavior(
            greeting: { _ in [] },
            holdsHandshakes: true,
            answer: { Answer(Bytes.answer($1)) }
        )
        try await exchange(behavior) { transport, server in
            for use in [ConnectionUse.own, .shared] {
                let report = await transport.send(.refresh, use, within: .milliseconds(200))
                #expect(report.notSent != nil, "\(report.outcome)")
            }
            try await server.continueHandshakes(of: 2)
            try await server.waitUntilClosed()
        }
    }

    @Test("a request that a GOAWAY leaves out was not processed", arguments: [UInt32(0), 11])
    func goneWithoutRequest(code: UInt32) async throws {
        try await exchange({ _ in Answer(Bytes.goAway(last: 0, code: code)) }) {
            transport,
            server in
            let said = await transport.send(.refresh).notSent
            let name = code == 0 ? "NO_ERROR" : "ENHANCE_YOUR_CALM"
            let peer = "localhost:\(server.port)"
            #expect(said == "connection of HTTP/2 ended by \(peer), without the request: \(name)")
        }
    }

    @Test("a GOAWAY for an error ends the requests, with its code")
    func goneForError() async throws {
        try await exchange({ Answer(Bytes.goAway(last: $0, code: 1)) }) { transport, server in
            let said = await transport.send(.refresh).unanswered
            let peer = "localhost:\(server.port)"
            #expect(
                said
                    == "connection of HTTP/2 ended by \(peer) before an answer came: PROTOCOL_ERROR"
            )
        }
    }

    @Test("a server that says GOAWAY and answers has answered")
    func goneAfterAnswer() async throws {
        try await exchange({ Answer(Bytes.goAway(last: $0, code: 0) + Bytes.answer($0)) }) {
            transport,
            _ in
            #expect(await transport.send(.refresh).answer?.status == 200)
            #expect(await transport.send(.protected, .shared).answer?.status == 200)
            #expect(await transport.send(.protected, .shared).answer?.status == 200)
        }
    }
}

extension HTTP2Bytes {
    fileprivate static func push(_ stream: UInt32) -> [UInt8] {
        let request = block([
            (":method", "GET"), (":path", "/"), (":scheme", "https"), (":authority", "localhost"),
        ])
        return frame(.pushPromise, flags: 4, stream: stream, bytes(2) + request)
    }
}
