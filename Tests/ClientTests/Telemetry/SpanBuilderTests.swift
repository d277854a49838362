import Basics
import Client
import Testing

@testable import Model

@Suite("Spans of renewals")
struct SpanBuilderTests {
    private static let app = TraceContext(
        trace: "0af7651916cd43dd8448eb211c80319c",
        span: "b7ad6b7169203331",
        isSampled: true
    )

    private static func spans(
        _ account: Account,
        by sampler: TraceSampler = .default
    ) -> [Span] {
        var builder = SpanBuilder(sampler: sampler, random: SeededGenerator(seed: 1))
        return account.events.flatMap { builder.receive($0) }
    }

    private static func refresh(
        _ status: Int = 200,
        of app: TraceContext? = nil
    ) -> Exchange {
        var exchange = Exchange.sample(.refresh, .answered(status: status))
        exchange.flight = 1
        exchange.trace = app
        return exchange
    }

    private static func renewed(of app: TraceContext? = nil) -> Account {
        var account = Account()
        account.add(RefreshStarted(flight: 1, cause: .unauthorized))
        account.wait(0.5)
        account.add(refresh(of: app))
        account.renewed(flight: 1)
        return account
    }

    @Test("a renewal is one, and its request a part of it")
    func renewal() throws {
        let spans = Self.spans(Self.renewed())
        try #require(spans.count == 2)
        #expect(spans.map(\.name) == ["renewal", "refresh"])
        #expect(spans[0].parent == nil && spans[0].status == .ok)
        #expect(spans[1].parent == spans[0].context.span)
        #expect(spans[1].context.trace == spans[0].context.trace)
        #expect(spans[0].endedAt.now.seconds(since: spans[0].startedAt.now) == 0.5)
        let attributes = Dictionary(uniqueKeysWithValues: spans[0].attributes.map { $0 })
        #expect(attributes["authtop.trigger"] == .text("unauthorized"))
        #expect(attributes["authtop.outcome"] == .text("succeeded"))
        #expect(spans.allSatisfy { $0.context.trace.count == 32 && $0.context.span.count == 16 })
    }

    @Test("a renewal of an app that is traced is part of the app's trace")
    func joined() {
        let spans = Self.spans(Self.renewed(of: Self.app))
        #expect(Set(spans.map(\.context.trace)) == [Self.app.trace])
        #expect(spans.first?.parent == Self.app.span)
    }

    @Test("a request that waited, and one that is sent again, have a link to the renewal")
    func links() throws {
        var account = Account()
        account.add(RefreshStarted(flight: 1, cause: .unauthorized))
        account.add(TokenAwaited(since: account.now))
        account.wait(0.5)
        account.add(Self.refresh())
        account.renewed(flight: 1)
        account.add(TokenAwaited(since: nil))
        var again = Exchange.sample()
        again.retryOf = 1
        account.add(again)
        let spans = Self.spans(account)
        let renewal = try #require(spans.first).context
        let linked = spans.filter { $0.links == [renewal] }
        #expect(linked.map(\.name) == ["token.wait", "protected"])
        #expect(linked.allSatisfy { $0.context.trace != renewal.trace })
    }

    @Test("a refused request of an app that is traced is part of the app's trace, others are not")
    func refused() {
        var account = Account()
        var refused = Exchange.sample(.protected, .answered(status: 401))
        refused.trace = Self.app
        var accepted = Exchange.sample()
        accepted.trace = Self.app
        account.add(refused, accepted, Exchange.sample(.protected, .answered(status: 401)))
        let spans = Self.spans(account)
        #expect(spans.map(\.parent) == [Self.app.span])
        #expect(spans.first?.status == .error)
    }

    @Test("a renewal that an app's refused request causes is part of the app's trace")
    func caused() throws {
        var refused = Exchange.sample(.protected, .answered(status: 401))
        refused.trace = Self.app
        var again = Exchange.sample()
        again.trace = Self.app
        again.retryOf = refused.id
        var account = Account()
        account.add(refused)
        account.add(RefreshStarted(flight: 1, cause: .unauthorized))
        account.wait(0.5)
        account.add(Self.refresh())
        account.renewed(flight: 1)
        account.add(again)
        let spans = Self.spans(account)
        #expect(spans.map(\.name) == ["protected", "renewal", "refresh", "protected"])
        #expect(Set(spans.map(\.context.trace)) == [Self.app.trace])
        #expect(spans.filter { $0.parent == Self.app.span }.map(\.name).count == 3)
        #expect(spans.last?.links == [spans[1].context])
    }

    @Test("a renewal that has another cause than a refusal before it is a trace of its own")
    func uncaused() {
        var refused = Exchange.sample(.protected, .answered(status: 401))
        refused.trace = Self.app
        for cause in [RefreshCause.timer, .app] {
            var account = Account()
            account.add(refused)
            account.add(RefreshStarted(flight: 1, cause: cause))
            account.renewed(flight: 1)
            account.add(RefreshStarted(flight: 2, cause: .unauthorized))
            account.renewed(flight: 2)
            let renewals = Self.spans(account).filter { $0.name == "renewal" }
            #expect(renewals.count == 2)
            #expect(renewals.allSatisfy { $0.context.trace != Self.app.trace })
        }
    }

    @Test("a failure is an error, and one that never ends is none")
    func failed() {
        var account = Account()
        account.add(RefreshStarted(flight: 1, cause: .timer))
        account.add(RefreshStarted(flight: 2, cause: .timer))
        let failure = RefreshFailure(.unavailable(status: 503, detail: "busy"))
        account.add(RefreshFailed(flight: 2, failure: failure, attempt: 1, nextAt: nil))
        #expect(Self.spans(account).map(\.status) == [.error])
    }

    @Test(
        "a sampler records what it says",
        arguments: [
            ("always_on", nil, 400...400), ("always_off", nil, 0...0),
            ("traceidratio", 0.25, 60...140), ("parentbased_traceidratio", 0, 0...0),
            ("parentbased_always_on", nil, 400...400), ("traceidratio", nil, 400...400),
        ]
    )
    func sampled(name: String, argument: Double?, expected: ClosedRange<Int>) throws {
        let sampler = try #require(TraceSampler(name: name, argument: argument))
        var account = Account()
        for flight in 1...400 {
            account.add(RefreshStarted(flight: flight, cause: .timer))
            account.renewed(flight: flight)
        }
        #expect(expected.contains(Self.spans(account, by: sampler).count))
    }

    @Test("a sampler that follows the parent records what the app records")
    func parent() throws {
        let off = try #require(TraceSampler(name: "parentbased_always_off", argument: nil))
        #expect(Self.spans(Self.renewed(of: Self.app), by: off).count == 2)
        let on = try #require(TraceSampler(name: "parentbased_always_on", argument: nil))
        let unsampled = TraceContext(
            trace: Self.app.trace,
            span: Self.app.span,
            isSampled: false
        )
        #expect(Self.spans(Self.renewed(of: unsampled), by: on).isEmpty)
        for name in ["sometimes", "", "parentbased_"] {
            #expect(TraceSampler(name: name, argument: nil) == nil)
        }
        #expect(TraceSampler(name: "traceidratio", argument: 2) == nil)
    }
}
