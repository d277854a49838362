import Basics
import Client
import Model
import Platform
import Profiles
import Testing

/// The claim that decides whether a one-time token may be used again.
@Suite("Token transport: not sent means not sent", .timeLimit(.minutes(20)))
struct NotSentTests {
    private enum Verdict: Hashable {
        case answered
        case notSent
        case unanswered
    }

    @Test(
        "nothing of a request that is called not sent ever reaches the server",
        arguments: [1, 2, 3] as [UInt64]
    )
    func claim(seed: UInt64) async throws {
        let scripts: [[ScriptedServer.Step]] = [
            [.readRequest, .send(.okAnswer)], [.reset], [.readRequest, .reset], [.readRequest],
        ]
        var random = SeededGenerator(seed: seed)
        let limits = (0..<200).map { _ in Duration.microseconds(random.next() % 8000) }
        let many =
            [scripts[0]] + (0..<200).map { _ in scripts[Int(random.next() % 4)] } + [[.readRequest]]
        let (server, verdicts) = try await ScriptedServer.run(many) { server in
            try await withTestNetwork { network in
                let origin = try BackendOrigin(parsing: "http://127.0.0.1:\(server.port)")
                let transport = network.tokenTransport(to: origin)
                // One whose verdict is certain for each class, so that there is something to hold
                // the claim against whatever happens to the others.
                let answered = await Self.verdict(
                    on: limits.count,
                    within: .seconds(60),
                    through: transport
                )
                let notSent = await Self.verdict(
                    on: limits.count + 1,
                    within: .zero,
                    through: transport
                )
                var verdicts = await Self.send(within: limits, through: transport)
                verdicts[limits.count] = answered
                verdicts[limits.count + 1] = notSent
                return (server, verdicts)
            }
        }
        #expect(verdicts.count == limits.count + 2)
        #expect(verdicts[limits.count] == .answered)
        #expect(verdicts[limits.count + 1] == .notSent)
        for (number, verdict) in verdicts {
            let line = "POST /\(number) "
            switch verdict {
            case .notSent: #expect(!server.beginnings.contains { $0.hasPrefix(line) })
            case .answered: #expect(server.requests.contains { $0.hasPrefix(line) })
            case .unanswered: break
            }
        }
        let times = Dictionary(grouping: server.requests) { $0.prefix { $0 != "\r\n" } }
        #expect(times.values.allSatisfy { $0.count == 1 }, "none is sent twice")
    }

    /// Sends a request for each limit, four at a time; every other one is cancelled instead.
    private static func send(
        within limits: [Duration],
        through transport: HTTPTokenTransport
    ) async -> [Int: Verdict] {
        await withTaskGroup(of: [Int: Verdict].self) { group in
            for lane in 0..<4 {
                group.addTask {
                    var verdicts: [Int: Verdict] = [:]
                    for number in stride(from: lane, to: limits.count, by: 4) {
                        verdicts[number] = await verdict(
                            on: number,
                            within: limits[number],
                            byCancelling: number / 4 % 2 == 0,
                            through: transport
                        )
                    }
                    return verdicts
                }
            }
            return await group.reduce(into: [:]) { $0.merge($1) { $1 } }
        }
    }

    private static func verdict(
        on number: Int,
        within limit: Duration,
        byCancelling: Bool = false,
        through transport: HTTPTokenTransport
    ) async -> Verdict {
        var request = WireRequest.refresh
        request.target = "/\(number)"
        let deadline = liveTime.now + limit
        let sending = Task { [request] in
            await transport.send(request, within: byCancelling ? .seconds(30) : limit)
        }
        if byCancelling {
            try? await liveTime.sleep(until: deadline)
            sending.cancel()
        }
        switch await sending.value.outcome {
        case .answered: return .answered
        case .notSent: return .notSent
        case .unanswered: return .unanswered
        }
    }
}
