import Basics
import Client
import Model
import Observer
import Proxy
import Synchronization
import TestSupport
import Testing

/// A backend, a proxy before it, and what is made of the traffic between.
struct ExperimentBench: Sendable {
    let store: ObservationStore
    let port: Int
    let backend: CountingBackend

    /// Sends one request over a connection of its own, and returns its answer.
    func send(_ request: String, body: String = "") async throws -> String {
        var client = try await RawConnection.connect(to: port)
        try await client.write(Self.text(request, body))
        let answer = try await client.readAnswer()
        await client.close()
        return answer
    }

    static func text(_ request: String, _ body: String) -> String {
        var lines = request.split(separator: "|").map(String.init)
        lines[0] += " HTTP/1.1"
        lines.append("Host: a")
        if !body.isEmpty {
            lines += ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"]
        }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    @discardableResult
    func logIn() async throws -> String {
        try await send("POST /login", body: "{\"username\":\"ada\",\"password\":\"correct\"}")
    }

    static func refreshBody(_ number: Int) -> String {
        "{\"refresh_token\":\"refresh-token-number-\(number)\"}"
    }

    func refresh(_ number: Int) async throws -> String {
        try await send("POST /auth/refresh", body: Self.refreshBody(number))
    }

    func use(_ number: Int) async throws -> String {
        try await send("GET /items|Authorization: Bearer access-token-number-\(number)")
    }

    /// Waits until everything that has passed is read, and returns the last scorecard.
    func scorecard() async throws -> Scorecard {
        await store.stop()
        return try #require(await store.scorecards.last)
    }
}

/// The requests to a backend.
final class CountingBackend: Sendable {
    private let seen = Mutex<[String]>([])
    private let pairs = Mutex(0)

    var requests: [String] { seen.withLock { $0 } }

    func count(_ path: String) -> Int { requests.count { $0.contains(path) } }

    /// Answers requests until the connection ends.
    func serve(_ connection: inout RawConnection) async throws {
        while true {
            let head = try await connection.readHead()
            let length = head.firstMatch(of: /Content-Length: (\d+)/).flatMap { Int($0.1) } ?? 0
            _ = try await connection.read(length)
            let path = head.split(separator: " ")[1]
            seen.withLock { $0.append(String(path)) }
            switch path {
            case "/login", "/auth/refresh":
                let number = pairs.withLock { number in
                    number += 1
                    return number
                }
                let body =
                    "{\"access_token\":\"access-token-number-\(number)\", \"expires_in\":3600, "
                    + "\"refresh_token\":\"refresh-token-number-\(number)\"}"
                try await answer(body, on: connection)
            case "/feed":
                try await connection.write(
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                        + "Connection: Upgrade\r\n\r\n"
                )
                // A text frame, of which the rest comes after the first byte of the app.
                try await connection.write([0x81, 0x02, 0x68])
                _ = try await connection.read(1)
                try await connection.write([0x69])
                _ = await connection.readToEnd()
                return
            default: try await answer("{\"items\":[]}", on: connection)
            }
        }
    }

    private func answer(_ body: String, on connection: RawConnection) async throws {
        try await connection.write(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n"
                + "Date: Mon, 23 Nov 2026 10:00:00 GMT\r\nContent-Length: \(body.utf8.count)\r\n"
                + "\r\n\(body)"
        )
    }
}

/// Runs a proxy with experiments before a backend that counts.
func withExperiments(_ body: @Sendable (ExperimentBench) async throws -> Void) async throws {
    let backend = CountingBackend()
    let queue = TrafficQueue()
    let injector = ExperimentInjector()
    let time = LiveTimekeeper()
    let store = ObservationStore(
        reader: TrafficReader(fingerprinter: Fingerprinter(salt: Array(repeating: 1, count: 16))),
        machine: ObservationMachine(
            ObservationMachine.Configuration(profile: "app", baseURL: "http://127.0.0.1")
        ),
        time: time,
        queue: queue,
        injector: injector
    )
    async let reading: Void = store.run()
    try await withOrigin { connection in
        try await backend.serve(&connection)
    } body: { origin in
        try await withProxy(to: origin, seen: queue, injector: injector, time: time) { port in
            try await body(ExperimentBench(store: store, port: port, backend: backend))
        }
    }
    queue.finish()
    await reading
}
