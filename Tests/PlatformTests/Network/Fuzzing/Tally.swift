import Basics
import Foundation
import Synchronization

/// Counts the result of the requests, and prints how it goes.
final class Tally: Sendable {
    private struct State {
        var begun: UInt64 = 0
        var ended: UInt64 = 0
        var outcomes: [String: Int] = [:]
    }

    let total: UInt64
    /// Of everything that is random.
    let seed: UInt64
    private let start = liveTime.now
    private let state = Mutex(State())

    /// Takes the number of requests and the seed from the environment, and prints them.
    ///
    /// - Parameter defaultTotal: The number, if the environment has none.
    init(defaultTotal: UInt64) {
        let variables = ProcessInfo.processInfo.environment
        total = variables["AUTHTOP_RAW_ANSWERS"].flatMap { UInt64($0) } ?? defaultTotal
        seed = variables["AUTHTOP_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0..<1 << 32)
        print("seed \(seed), \(total) answers")
    }

    var ended: UInt64 { state.withLock { $0.ended } }

    /// Sends all requests by number, few at a time among other tests, which need the processor too.
    func run(_ ask: @escaping @Sendable (UInt64) async -> String) async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<(total > 10_000 ? 64 : 8) {
                group.addTask { [self] in await runLane(ask) }
            }
        }
    }

    /// Sends the requests that are left, one after the other.
    func runLane(_ ask: @Sendable (UInt64) async -> String) async {
        while let number = next() { count(await ask(number)) }
    }

    /// The number of the next request, from 1.
    private func next() -> UInt64? {
        state.withLock { state in
            guard state.begun < total else { return nil }
            state.begun += 1
            return state.begun
        }
    }

    private func count(_ outcome: String) {
        // Ports and statuses aside.
        let kind = outcome.replacing(/(127\.0\.0\.1|localhost):\d+/, with: "peer")
            .replacing(/status \d+/, with: "status …")
        let ended = state.withLock { state in
            state.ended += 1
            state.outcomes[kind, default: 0] += 1
            return state.ended
        }
        if ended % max(1, total / 20) == 0 { print(line(at: ended)) }
    }

    /// The number of outcomes that contain this text.
    func crossed(_ text: String) -> Int {
        state.withLock { $0.outcomes.filter { $0.key.contains(text) }.values.reduce(0, +) }
    }

    var summary: String {
        let outcomes = state.withLock { $0.outcomes }
        return outcomes.sorted { $0.value > $1.value }
            .map { "\($0.value) \($0.key)" }
            .joined(separator: "\n")
    }

    private func line(at ended: UInt64) -> String {
        let seconds = max(0.001, liveTime.now.seconds(since: start))
        let rate = Int(Double(ended) / seconds)
        return "\(ended) answers in \(Int(seconds)) s, \(rate)/s, \(Self.residentKiB) KiB resident"
    }

    private static var residentKiB: Int {
        let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
    }
}
