import Foundation

/// The answer of `GET /__sandbox/state`: the backend's state of its clients.
struct SandboxReport: Sendable, Decodable {
    struct Backend: Sendable, Decodable {
        let sessions: [Session]
        let counters: [String: Counters]
    }

    struct Session: Sendable, Decodable {
        let dialect: String
        let generation: Int
        let spent: Int
        /// Fingerprints.
        let refresh: String?
        let access: String?
        /// `nil` while it lives.
        let ended: String?
    }

    struct Counters: Sendable, Decodable {
        let logins: Int
        let loginsRejected: Int
        let refreshes: Int
        let refreshesRefused: [String: Int]
        let reuses: Int
        let logouts: Int
        let unauthorized: [String: Int]
        let feedsRefused: [String: Int]
    }

    struct Socket: Sendable, Decodable {
        let dialect: String
        let generation: Int
        let sent: [Run]
        let closedAt: Double?
        let closeCode: Int?
        let closedBy: String?
    }

    struct Run: Sendable, Decodable {
        let first: Int
        let last: Int
    }

    let backend: Backend
    let sockets: [Socket]
    /// By name.
    let faultsFired: [String: Int]

    static func read(from port: Int) async throws -> SandboxReport {
        let answer = try await HandMadeRequest(method: "GET", target: "/__sandbox/state")
            .send(to: port)
        return try JSONDecoder().decode(SandboxReport.self, from: Data(answer.body.utf8))
    }

    func sessions(of guide: Guide) -> [Session] {
        backend.sessions.filter { $0.dialect == guide.rawValue }
    }

    func counters(of guide: Guide) -> Counters? { backend.counters[guide.rawValue] }

    /// Every message number that was written to any socket of a user, in order.
    func sent(to guide: Guide) -> [Int] {
        let runs = sockets.filter { $0.dialect == guide.rawValue }.flatMap(\.sent)
        return Set(runs.flatMap { Array($0.first...$0.last) }).sorted()
    }
}
