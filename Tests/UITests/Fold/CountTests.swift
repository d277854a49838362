import Basics
import Testing
import UI

@testable import Model

/// A count above a list is that of the list's rows.
@Suite("Fold: counts and their rows")
struct CountTests {
    /// Whatever can happen to requests and to the feed, in any order.
    private static func script(seed: UInt64) -> EventScript {
        var random = SeededGenerator(seed: seed)
        var script = EventScript()
        script.capabilities()
        script.logIn()
        for _ in 0..<400 {
            script.wait(0.1)
            switch Int.random(in: 0..<12, using: &random) {
            case 0...5: request(&script, &random)
            case 6...8: script.message(isDuplicate: Bool.random(using: &random))
            case 9: script.open()
            case 10:
                script.dial()
                script.add(FeedRefused(socket: script.sockets, status: 401))
            default:
                let old = script.sockets
                script.open()
                script.add(
                    FeedSwitched(
                        from: old,
                        to: script.sockets,
                        duplicates: Int.random(in: 0...2, using: &random),
                        gap: Int.random(in: 0...2, using: &random),
                        after: .milliseconds(9)
                    )
                )
            }
        }
        return script
    }

    private static func request(_ script: inout EventScript, _ random: inout SeededGenerator) {
        let results: [Exchange.Result] = [
            .answered(status: 200), .answered(status: 401), .answered(status: 503),
            .answered(status: 404), .notSent(.unreachable(detail: "refused")),
            .unanswered(detail: "reset"),
        ]
        let purposes: [ExchangePurpose] = [.protected, .refresh, .login, .logout]
        script.request(
            purposes.randomElement(using: &random) ?? .protected,
            "GET",
            "/",
            results.randomElement(using: &random) ?? results[0],
            seconds: 0.01,
            why: .user
        )
    }

    @Test("of requests, by their results", arguments: 0..<20 as Range<UInt64>)
    func requests(seed: UInt64) {
        let session = SessionSnapshot(folding: Self.script(seed: seed).events)
        let counts = session.requestCounts.exchanges
        let rows = session.requests.map(\.exchange)
        let sent = rows.filter { if case .notSent = $0.result { false } else { true } }
        #expect(counts.sent == sent.count)
        #expect(counts.notSent == rows.count - sent.count)
        #expect(counts.unanswered == sent.count { $0.status == nil })
        #expect(counts.unauthorized == rows.count { $0.status == 401 })
        #expect(counts.serverErrors == rows.count { ($0.status ?? 0) >= 500 })
        #expect(session.statistics.requests == counts)
        let used = sent.count { $0.purpose == .protected && $0.generation == 1 }
        #expect(session.current?.requests == used)
    }

    @Test("of the feed, switches of sockets included", arguments: 0..<20 as Range<UInt64>)
    func feed(seed: UInt64) {
        let session = SessionSnapshot(folding: Self.script(seed: seed).events)
        var (messages, duplicates, lost) = (0, 0, 0)
        var opened: Set<Int> = []
        for line in session.feed.log {
            switch line.event {
            case .message(let message):
                if message.isDuplicate { duplicates += 1 } else { messages += 1 }
            case .switched(let switched):
                duplicates += switched.duplicates
                lost += switched.gap
                opened.insert(switched.to)
            case .opened(let event): opened.insert(event.socket)
            default: break
            }
        }
        let counts = session.feed.counts
        #expect(counts.messages == messages)
        #expect(counts.duplicates == duplicates)
        #expect(counts.lost == lost)
        #expect(session.current?.sockets.allSatisfy(opened.contains) == true)
    }
}
