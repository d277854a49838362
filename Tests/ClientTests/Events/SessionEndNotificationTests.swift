import Basics
import Testing
import UI

@testable import Model

@Suite("Notifications: the end of a session that nothing can renew")
struct SessionEndNotificationTests {
    private let rule = NotificationRule(events: ["sessionEndsSoon"], lead: 300)

    /// A session of an hour that begins now.
    private static func session(_ plan: RenewalPlan?) -> Account {
        var account = Account()
        account.logIn(life: 3_600)
        if let plan { account.add(RenewalPlanned(plan)) }
        return account
    }

    private func machine(after account: Account) -> NotificationMachine {
        var machine = NotificationMachine([rule])
        for event in account.events {
            #expect(machine.receive(event, at: event.moment).isEmpty)
        }
        return machine
    }

    @Test(
        "is told once, the lead before it",
        arguments: [
            (.impossible(.revoked), .revoked),
            (.impossible(.accessExpired), .accessExpired),
            (.scheduled(at: .origin, .refreshTokenOver), .refreshExpired),
            (.scheduled(at: .origin, .refreshTokenSpent), .consumeWithoutReturn),
        ] as [(RenewalPlan, SignedOutReason)]
    )
    func once(plan: RenewalPlan, reason: SignedOutReason) throws {
        var account = Self.session(plan)
        let end = account.now.now.advanced(bySeconds: 3_600)
        var machine = machine(after: account)
        #expect(machine.nextDeadline == end.advanced(bySeconds: -300))
        account.wait(3_300)
        let due = machine.advance(to: account.now)
        let told = try #require(due.first)
        #expect(due.count == 1)
        #expect(told.condition == .sessionEndsSoon)
        let soon = try #require(told.event.kind as? SessionEndsSoon)
        #expect(soon == SessionEndsSoon(endsAt: end, reason: reason))
        #expect(told.event.moment == account.now)
        let line = EventLine.text(of: told, causes: CauseText())
        for part in [
            "\"kind\":\"sessionEndsSoon\"", "\"profile\":\"melchat\"",
            "\"reason\":\"\(reason.rawValue)\"", "\"endsAt\":\"2025-",
        ] {
            #expect(line.contains(part), "\(line)")
        }
        account.wait(299)
        #expect(machine.advance(to: account.now).isEmpty)
        #expect(machine.nextDeadline == nil)
    }

    @Test(
        "is not told of one that can be renewed",
        arguments: [
            nil, .scheduled(at: .origin, .accessTokenEnds), .underWay, .held(.paused),
        ] as [RenewalPlan?]
    )
    func renewed(plan: RenewalPlan?) {
        var account = Self.session(plan)
        var machine = machine(after: account)
        account.wait(3_599)
        #expect(machine.advance(to: account.now).isEmpty)
        #expect(machine.nextDeadline == nil)
    }

    @Test("is not told of one that is followed no longer")
    func forgotten() {
        var session = Self.session(.impossible(.revoked))
        session.add(ForgottenSession(limit: 1_024, lastUsedAt: session.now.now, hasEnded: false))
        #expect(machine(after: session).nextDeadline == nil)
    }

    @Test("is not told after it, nor after a login that gives the session more time")
    func over() {
        var ended = Self.session(.impossible(.revoked))
        ended.add(SignedOut(.user))
        #expect(machine(after: ended).nextDeadline == nil)
        var renewed = Self.session(.impossible(.revoked))
        renewed.add(RenewalPlanned(.scheduled(at: .origin, .accessTokenEnds)))
        #expect(machine(after: renewed).nextDeadline == nil)
    }

    @Test("is told again for the next login")
    func again() {
        var account = Self.session(.impossible(.accessExpired))
        var machine = machine(after: account)
        account.wait(3_400)
        #expect(machine.advance(to: account.now).count == 1)
        #expect(machine.delivered(by: 0, at: account.now).isEmpty)
        let before = account.events.count
        account.logIn(life: 600)
        for event in account.events.dropFirst(before) {
            #expect(machine.receive(event, at: event.moment).isEmpty)
        }
        account.wait(301)
        #expect(machine.advance(to: account.now).count == 1)
    }

    @Test("of an app's pair that was seen in a request, nothing is known")
    func joined() {
        var account = Account()
        account.issue(.joined, life: 60)
        account.add(RenewalPlanned(.impossible(.accessExpired)))
        #expect(machine(after: account).nextDeadline == nil)
    }
}
