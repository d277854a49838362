import Basics
import Testing
import UI

@testable import Model

@Suite("Notifications: which event gives which, and when")
struct NotificationMachineTests {
    private static func rule(_ events: String..., profile: String? = nil) -> NotificationRule {
        NotificationRule(events: Set(events), profile: profile)
    }

    /// The notifications of events that come at the moments that they name.
    private static func notifications(
        of account: Account,
        by rules: NotificationRule...
    ) -> [Notification] {
        var machine = NotificationMachine(rules)
        return account.events.flatMap { event in
            let due = machine.receive(event, at: event.moment)
            return due + due.flatMap { machine.delivered(by: $0.rule, at: event.moment) }
        }
    }

    @Test("a thousand events in a second start one, and the next is told how many were left out")
    func storm() throws {
        var account = Account()
        for _ in 0..<1_000 {
            account.add(LoginStarted())
            account.wait(0.000_9)
        }
        var machine = NotificationMachine([Self.rule("loginStarted")])
        var started: [Notification] = []
        for event in account.events {
            let due = machine.receive(event, at: event.moment)
            for notification in due {
                #expect(machine.delivered(by: notification.rule, at: event.moment).isEmpty)
            }
            started += due
        }
        #expect(started.map(\.dropped) == [0])
        let first = try #require(account.events.first).moment.now
        #expect(machine.nextDeadline == first + .seconds(1))
        account.wait(1)
        let next = machine.advance(to: account.now)
        #expect(next.map(\.dropped) == [998])
        #expect(next.first?.event == account.events.last)
        #expect(machine.nextDeadline == nil)
        let line = EventLine.text(of: try #require(next.first), causes: CauseText())
        #expect(line.contains("\"dropped\":998"))
    }

    @Test("each rule counts for itself")
    func rules() {
        var account = Account()
        account.add(LoginStarted(), SignedOut(.revoked), LoginStarted())
        let due = Self.notifications(
            of: account,
            by: Self.rule("loginStarted"),
            Self.rule("signedOut", "loginStarted")
        )
        #expect(due.map(\.rule) == [0, 1])
    }

    @Test("at most two run at once; what waits is due when one of them has ended")
    func running() {
        var account = Account()
        var machine = NotificationMachine([Self.rule("loginStarted")])
        var due: [[Int]] = []
        for _ in 0..<4 {
            account.add(LoginStarted())
            due += account.events.suffix(1)
                .map { machine.receive($0, at: account.now).map(\.dropped) }
            account.wait(2)
        }
        #expect(due == [[0], [0], [], []])
        #expect(machine.nextDeadline == nil)
        #expect(machine.delivered(by: 0, at: account.now).map(\.dropped) == [1])
        #expect(machine.busyRules == [0])
        for _ in 0..<2 { #expect(machine.delivered(by: 0, at: account.now).isEmpty) }
        #expect(machine.busyRules.isEmpty)
    }

    @Test("at the end nothing new counts, and what waits is still due")
    func finishing() {
        var account = Account()
        account.add(LoginStarted(), LoginStarted(), LoginStarted())
        var machine = NotificationMachine([Self.rule("loginStarted")])
        #expect(machine.receive(account.events[0], at: account.now).count == 1)
        #expect(machine.receive(account.events[1], at: account.now).isEmpty)
        machine.finish()
        #expect(machine.receive(account.events[2], at: account.now).isEmpty)
        account.wait(1)
        #expect(machine.nextDeadline == account.now.now)
        #expect(machine.advance(to: account.now).map(\.dropped) == [0])
    }

    @Test("a rule with a profile is for its sessions alone")
    func profile() {
        var account = Account()
        account.add(SignedOut(.revoked))
        let due = Self.notifications(
            of: account,
            by: Self.rule("signedOut", "sessionEnded", profile: "other"),
            Self.rule("signedOut", profile: "melchat")
        )
        #expect(due.map(\.rule) == [1])
    }

    @Test(
        "a session has ended if the user did not end it",
        arguments: [
            (SignedOut(.revoked), true), (SignedOut(.accessExpired), true),
            (SignedOut(.never), false), (SignedOut(.user), false),
            (SignedOut(.endedElsewhere), false), (ObservedStatus.ended(.refreshRefused), true),
            (ObservedStatus.ended(.logout), false), (ObservedStatus.ended(.replaced), false),
            (ObservedStatus.expired, false),
        ] as [(any EventKind, Bool)]
    )
    func ended(kind: any EventKind, counts: Bool) {
        var account = Account()
        account.add(kind)
        let due = Self.notifications(of: account, by: Self.rule("sessionEnded"))
        #expect(due.map(\.condition) == (counts ? [.sessionEnded] : []))
    }

    @Test(
        "the end of an app's session, which has two events, is told once, and none that it wanted",
        arguments: [
            (.refreshRefused, .revoked, 1), (.reuseDetected, .revoked, 1),
            (.expired, .accessExpired, 1), (.replaced, .replaced, 0), (.logout, .user, 0),
            (.silent, .endedElsewhere, 0),
        ] as [(ObservedEnd, SignedOutReason, Int)]
    )
    func appEnded(end: ObservedEnd, reason: SignedOutReason, count: Int) {
        var account = Account()
        account.add(ObservedStatus.live(until: nil), ObservedStatus.ended(end))
        account.add(SignedOut(reason))
        account.wait(2)
        account.add(LoginStarted())
        let rule = Self.rule("sessionEnded")
        let due = Self.notifications(of: account, by: rule)
        #expect(due.allSatisfy { $0.event.kind is ObservedStatus && $0.dropped == 0 })
        #expect(due.count == count)
        var filtered = NotificationMachine([rule])
        let some = account.events.filter(rule.concerns)
            .flatMap { filtered.receive($0, at: $0.moment) }
        #expect(some == due)
        // The kind is told of whatever there is besides.
        let named = Self.notifications(of: account, by: Self.rule("signedOut"))
        #expect(named.map(\.condition) == [nil])
    }

    @Test("a finding is told once, when it is certain, unless an experiment caused it")
    func findings() {
        func finding(
            _ number: Int,
            _ confidence: ObservedFinding.Confidence,
            experiment: String? = nil
        ) -> ObservedFinding {
            let now = Account().now
            return ObservedFinding(
                number: number,
                rule: "race",
                severity: .bug,
                confidence: confidence,
                evidence: [],
                message: "",
                remedy: "",
                firstAt: now,
                lastAt: now,
                experiment: experiment
            )
        }
        var account = Account()
        for kind in [
            finding(1, .likely), finding(1, .certain), finding(1, .certain),
            finding(2, .certain, experiment: "slow"), finding(3, .certain),
        ] {
            account.add(kind)
            account.wait(2)
        }
        let due = Self.notifications(of: account, by: Self.rule("certainFinding"))
        #expect(due.map { ($0.event.kind as? ObservedFinding)?.number } == [1, 3])
    }

    @Test("what concerns a rule is enough for it")
    func filter() {
        var account = Account()
        account.logIn(life: 20)
        account.add(RenewalPlanned(.impossible(.accessExpired)), SignedOut(.accessExpired))
        let rule = Self.rule("sessionEndsSoon", "sessionEnded")
        var filtered = NotificationMachine([rule])
        let some = account.events.filter(rule.concerns)
            .flatMap { filtered.receive($0, at: $0.moment) }
        var machine = NotificationMachine([rule])
        #expect(some == account.events.flatMap { machine.receive($0, at: $0.moment) })
        #expect(some.count == 1)
    }

    @Test("no condition has the name of a kind, and no kind has the fields of a notification")
    func names() {
        #expect(Set(NotificationRule.names).count == NotificationRule.names.count)
        for definition in EventSchema.definitions {
            let fields = Set(definition.fields.map(\.name))
            #expect(fields.isDisjoint(with: ["condition", "dropped"]), "\(definition.name)")
        }
    }
}
