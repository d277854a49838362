import Foundation
import TestSupport
import Testing

/// `AUTHTOP_SOAK_SECONDS`: for how long.
private let seconds = ProcessInfo.processInfo.environment["AUTHTOP_SOAK_SECONDS"]
    .flatMap { Int($0) }

/// 200 messages a second, with access tokens that live five seconds.
@Suite(
    "A feed under each of its faults in turn",
    .programs,
    .enabled("AUTHTOP_SOAK_SECONDS is not set") { seconds != nil }
)
struct FeedSoakTests {
    /// Each is on for an equal part of the time.
    private static let faults = [
        "feed-refuse:p=0.3", "feed-close-on-open:p=0.3", "feed-close:p=0.003",
        "feed-close:p=0.003:code=1006", "feed-close:p=0.003:code=1012", "feed-silent:p=0.001",
        "feed-duplicates:p=0.05", "feed-expiry", "server-error:feed:p=0.3",
        "unauthorized:feed:p=0.3",
    ]

    @Test("what the server can replay is not lost, and what it cannot is told")
    func soak() async throws {
        let seconds = try #require(seconds)
        try await withBench { bench in
            let sandbox = try await bench.sandbox(
                "--access-ttl",
                "5s",
                "--refresh-ttl",
                "9h",
                "--feed-rate",
                "200"
            )
            // The sandbox's own feed replays; the one of bitbasel's guide does not.
            let watches = try [Guide.voltyks, .bitbasel].map { guide in
                try bench.watch(guide, at: sandbox.port, for: "\(seconds + 10)s")
            }
            for watch in watches { try await watch.stream.first("feedMessage") }
            let part = Duration.seconds(seconds) / Self.faults.count
            for fault in Self.faults {
                try await sandbox.switchOn(fault)
                try await pass(part, at: sandbox)
                try await sandbox.switchAllOff()
            }
            for watch in watches {
                try await watch.program.ended(within: .seconds(120))
                let feed = try SoakedFeed(watch.stream.events)
                print("soak: \(feed.summary)")
                feed.expectSound()
            }
            #expect(try SoakedFeed(watches[0].stream.events).missing == 0)
        }
    }

    /// Lets the time pass, and looks how many sockets the server serves.
    private func pass(_ time: Duration, at sandbox: Sandbox) async throws {
        let end = ContinuousClock.now + time
        try await eventually("the end of a part", within: time + .seconds(60)) {
            let open = try await sandbox.report().sockets.filter { $0.closedAt == nil }
            let most = Dictionary(grouping: open, by: \.dialect).values.map(\.count).max() ?? 0
            #expect(most <= 2)
            try await Task.sleep(for: .milliseconds(500))  // polls
            return ContinuousClock.now >= end
        }
    }
}

/// The numbers in the events of a watched feed.
private struct SoakedFeed {
    private(set) var applied = 0
    private(set) var missing = 0
    private(set) var disordered = 0
    private(set) var told = 0
    private(set) var mostSockets = 0
    private(set) var longestWait = 0.0
    private(set) var closesAfterUse = 0
    private(set) var renewals = 0
    private(set) var leastLead = Double.infinity
    private(set) var troubles: [String] = []

    init(_ events: [Event]) throws {
        var sockets: Set<Int> = []
        var used: Set<Int> = []
        var last: Int?
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for (event, next) in zip(events, events.dropFirst() + events.suffix(1)) {
            let socket = event.integer("socket") ?? 0
            switch event.kind {
            case "feedDialing":
                sockets.insert(socket)
                mostSockets = max(mostSockets, sockets.count)
            case "feedRefused", "feedFailed": sockets.remove(socket)
            case "feedClosed":
                sockets.remove(socket)
                guard used.contains(socket), event.text("by") != "us" else { continue }
                guard next.kind == "feedStateChanged", next.text("cause") == "closed" else {
                    continue
                }
                closesAfterUse += 1
                if let nextAt = next.text("nextAt") {
                    let wait = try Date(nextAt, strategy: style)
                        .timeIntervalSince(Date(next.at, strategy: style))
                    longestWait = max(longestWait, wait)
                }
            case "feedMessage" where event["duplicate"] == nil:
                let seq = try #require(event.integer("seq"))
                used.insert(socket)
                if let last {
                    missing += max(seq - last - 1, 0)
                    if seq <= last { disordered += 1 }
                }
                last = seq
                applied += 1
            case "feedSwitched": told += event.integer("gap") ?? 0
            case "refreshSucceeded":
                renewals += 1
                leastLead = min(leastLead, event.number("leadLeft") ?? -1)
            case "refreshFailed", "circuitBreakerOpened", "draining", "signedOut", "dropped":
                troubles.append(event.line)
            case "stateChanged" where ["expired", "blocked"].contains(event.text("to")):
                troubles.append(event.line)
            default: break
            }
        }
    }

    var summary: String {
        """
        \(applied) messages, \(missing) missing, \(told) told as missing, at most \(mostSockets) \
        sockets, \(closesAfterUse) closes after use with waits of at most \(longestWait) s, \
        \(renewals) renewals at least \(leastLead) s before the end
        """
    }

    func expectSound() {
        #expect(applied > 0)
        #expect(disordered == 0)
        #expect(told == missing)
        #expect(mostSockets == 2)
        #expect(closesAfterUse > 0)
        #expect(longestWait < 1)
        #expect(renewals > 0)
        #expect(leastLead > 0)
        #expect(troubles == [])
    }
}
