import Client
import Model
import Observer
import TestSupport
import Testing

@Suite("Proxy: experiments with an app", .timeLimit(.minutes(20)))
struct ExperimentTests {
    @Test("a short life is stated in place of the backend's, and enforced")
    func shortLife() async throws {
        // Long enough for a request on a machine that has much else to do.
        try await withExperiments { bench in
            await bench.store.begin(.shortLife.set(to: 20))
            #expect(
                try await bench.logIn().hasSuffix(
                    "{\"access_token\":\"access-token-number-1\", \"expires_in\":20, "
                        + "\"refresh_token\":\"refresh-token-number-1\"}"
                )
            )
            #expect(try await bench.use(1).hasPrefix("HTTP/1.1 200 OK\r\n"))
            let refused = try await eventually("the end of the token") {
                let answer = try await bench.use(1)
                return answer.hasPrefix("HTTP/1.1 401 Unauthorized\r\n") ? answer : nil
            }
            #expect(refused.contains("WWW-Authenticate: Bearer error=\"invalid_token\"\r\n"))
            #expect(try await bench.refresh(1).contains("\"expires_in\":20,"))
            #expect(try await bench.use(2).hasPrefix("HTTP/1.1 200 OK\r\n"))
            let card = try await bench.scorecard()
            #expect(card.verdict == .failed)
            #expect(card.injected.count == 3)
            let line = card.lines.first { $0.check == .isNotRefused }
            #expect(line?.exchanges == [card.injected[1]])
        }
    }

    @Test("an access token is refused until it is renewed, without the backend")
    func expire() async throws {
        try await withExperiments { bench in
            try await bench.logIn()
            await bench.store.begin(.unauthorized.at(.app))
            #expect(try await bench.use(1).hasPrefix("HTTP/1.1 401 "))
            #expect(bench.backend.count("/items") == 0)
            #expect(try await bench.refresh(1).hasPrefix("HTTP/1.1 200 "))
            #expect(try await bench.use(2).hasPrefix("HTTP/1.1 200 "))
            // It is over with the refresh.
            #expect(try await bench.use(1).hasPrefix("HTTP/1.1 200 "))
            let card = try await bench.scorecard()
            #expect(card.verdict == .passed, "\(card.lines)")
            #expect(card.lines.map(\.check) == [.renewsOnce, .repeats, .keepsSession, .showsNoBug])
            #expect(card.lines.map(\.exchanges) == [[3], [4], [], []])
        }
    }

    @Test("refusals come together, so that an app with two callers renews twice")
    func burst() async throws {
        try await withExperiments { bench in
            try await bench.logIn()
            await bench.store.begin(.expireBurst)
            async let first = bench.use(1)
            async let second = bench.use(1)
            for answer in try await [first, second] { #expect(answer.hasPrefix("HTTP/1.1 401 ")) }
            #expect(bench.backend.count("/items") == 0)
            // The second one begins before the first one is complete, however busy the machine is.
            let request = ExperimentBench.text(
                "POST /auth/refresh",
                ExperimentBench.refreshBody(1)
            )
            var clients = [
                try await RawConnection.connect(to: bench.port),
                try await RawConnection.connect(to: bench.port),
            ]
            for client in clients { try await client.write(String(request.dropLast())) }
            for index in clients.indices {
                try await clients[index].write(String(request.suffix(1)))
                _ = try await clients[index].readAnswer()
                await clients[index].close()
            }
            let card = try await bench.scorecard()
            #expect(card.verdict == .failed)
            #expect(card.lines.first?.exchanges == [4, 5])
        }
    }

    @Test("an answer is lost after the backend has given it, by a reset or by silence")
    func loseAnswer() async throws {
        for hangs in [false, true] {
            try await withExperiments { bench in
                try await bench.logIn()
                await bench.store.begin(.dropAfterCommit.at(.app).set(to: hangs ? 1 : 0))
                var client = try await RawConnection.connect(to: bench.port)
                try await client.write(
                    ExperimentBench.text("POST /auth/refresh", ExperimentBench.refreshBody(1))
                )
                if hangs {
                    try await eventually("the refresh") {
                        bench.backend.count("/auth/refresh") == 1
                    }
                    await client.close()
                } else {
                    let end = await client.readToEnd()
                    #expect(end == RawConnection.Received(bytes: [], end: .reset))
                }
                #expect(bench.backend.count("/auth/refresh") == 1)
                #expect(try await bench.refresh(1).hasPrefix("HTTP/1.1 200 "))
                #expect(bench.backend.count("/auth/refresh") == 2)
                let card = try await bench.scorecard()
                #expect(card.injected == [2])
                #expect(card.lines.first?.verdict == .passed, "\(card.lines)")
                #expect(card.lines.first?.exchanges == [3])
            }
        }
    }

    @Test("an answer comes late, and whole")
    func slowRefresh() async throws {
        try await withExperiments { bench in
            try await bench.logIn()
            await bench.store.begin(.delay.at(.app).set(to: 1))
            let start = ContinuousClock.now
            let answer = try await bench.refresh(1)
            #expect(ContinuousClock.now - start >= .seconds(1))
            #expect(answer.hasSuffix("\"refresh_token\":\"refresh-token-number-2\"}"))
            #expect(try await bench.use(2).hasPrefix("HTTP/1.1 200 "))
            #expect(try await bench.scorecard().verdict == .passed)
        }
    }

    @Test(
        "a refresh is answered in place of the backend",
        arguments: [
            (Fault.refuseRefresh, ["400", "400"], "invalid_grant"),
            (
                .serverError.at(.app).set(to: 502, 2), ["502", "502", "200"],
                "temporarily_unavailable"
            ),
            (.rateLimit.at(.app).set(to: 60), ["429", "429"], "Retry-After: 60"),
            (.webPage.at(.app), ["200", "200"], "text/html"),
        ]
    )
    func answered(experiment: Fault, statuses: [String], part: String) async throws {
        try await withExperiments { bench in
            try await bench.logIn()
            await bench.store.begin(experiment)
            var answers: [String] = []
            for _ in statuses { answers.append(try await bench.refresh(1)) }
            #expect(answers.map { String($0.split(separator: " ")[1]) } == statuses)
            #expect(answers[0].contains(part), "\(answers[0])")
            let own = bench.backend.count("/auth/refresh")
            #expect(own == (statuses.last == "200" ? 1 : 0))
        }
    }

    @Test("the refresh token is taken out of one answer")
    func noRefreshToken() async throws {
        try await withExperiments { bench in
            try await bench.logIn()
            await bench.store.begin(.missingRefreshToken.at(.app))
            #expect(
                try await bench.refresh(1).hasSuffix(
                    "{\"access_token\":\"access-token-number-2\", \"expires_in\":3600}"
                )
            )
            #expect(try await bench.refresh(1).contains("refresh-token-number-3"))
            #expect(try await bench.scorecard().verdict == .passed)
        }
    }

    @Test("the time that answers state is shifted")
    func skew() async throws {
        try await withExperiments { bench in
            await bench.store.begin(.skewedDate.at(.app).set(to: -3_600))
            let shifted = try await bench.logIn()
            #expect(shifted.contains("Date: Mon, 23 Nov 2026 09:00:00 GMT\r\n"))
            await bench.store.stop()
            let plain = try await bench.use(1)
            #expect(plain.contains("Date: Mon, 23 Nov 2026 10:00:00 GMT\r\n"))
        }
    }

    @Test("a socket is closed with a code, between two frames")
    func cut() async throws {
        try await withExperiments { bench in
            var client = try await Self.socket(of: bench)
            await bench.store.begin(.feedClose.at(.app).set(to: 1008))
            // The frame that has begun ends first.
            try await client.write([0x88])
            #expect(await client.readToEnd().bytes == [0x69, 0x88, 2, 0x03, 0xF0])
            #expect(try await bench.scorecard().injected == [2])
        }
    }

    @Test("a socket is reset, or falls silent")
    func resetAndMute() async throws {
        try await withExperiments { bench in
            var client = try await Self.socket(of: bench)
            await bench.store.begin(.feedClose.at(.app).set(to: 1006))
            #expect(await client.readToEnd() == RawConnection.Received(bytes: [], end: .reset))
            var other = try await Self.socket(of: bench)
            await bench.store.begin(.feedSilent.at(.app))
            try await other.write([0x88])
            try await other.finish()
            #expect(await other.readToEnd().bytes.isEmpty)
        }
    }

    /// Opens a socket, in whose first frame one byte is missing.
    private static func socket(of bench: ExperimentBench) async throws -> RawConnection {
        if bench.backend.count("/login") == 0 { try await bench.logIn() }
        var client = try await RawConnection.connect(to: bench.port)
        try await client.write(
            "GET /feed HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer access-token-number-1\r\n"
                + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        let head = try await client.readHead()
        #expect(head.hasPrefix("HTTP/1.1 101 "))
        #expect(try await client.read(3) == [0x81, 0x02, 0x68])
        return client
    }

    @Test("what is not for the experiment passes, byte by byte, while one is running")
    func transparent() async throws {
        try await withExperiments { bench in
            try await bench.logIn()
            await bench.store.begin(.refuseRefresh)
            var client = try await RawConnection.connect(to: bench.port)
            let body = String(repeating: "x", count: 200_000)
            try await client.write(ExperimentBench.text("POST /items", body))
            #expect(try await client.readAnswer().hasSuffix("{\"items\":[]}"))
            // The next request of the same connection, in two parts.
            let next = Array(ExperimentBench.text("POST /items", "{\"a\":1}").utf8)
            try await client.write(Array(next.prefix(next.count - 3)))
            try await client.write(Array(next.suffix(3)))
            #expect(try await client.readAnswer().hasSuffix("{\"items\":[]}"))
            await client.close()
            #expect(bench.backend.count("/items") == 2)
        }
    }
}
