import Basics
import Observer
import Profiles

/// The report of a check, for a program.
struct CheckJSON {
    let report: CheckReport
    let outcomes: [CheckRequirements.Outcome]

    func object(profile: String, baseURL: String) -> JSONValue {
        var members: [String: JSONValue?] = [
            "schema": 1,
            "profile": .string(profile),
            "baseURL": .string(baseURL),
            "policy": policy,
            "probes": .array(report.probes.map(probe)),
            "exchanges": .array(report.exchanges.map(Self.exchange)),
            "expectations": outcomes.isEmpty ? nil : .array(outcomes.map(Self.expectation)),
        ]
        let counts = [
            "logins": report.sent.logins, "refreshes": report.sent.refreshes,
            "requests": report.sent.requests, "repeated": report.failures,
            "loggedOut": report.sessions.ended, "left": report.sessions.left,
        ]
        for (name, count) in counts { members[name] = .integer(Int64(count)) }
        return Self.object(members)
    }

    private var policy: JSONValue {
        let policy = report.policy
        var possible: [ReuseVerdict] = []
        var obstacle: String?
        switch policy.name {
        case .named: break
        case .possible(let verdicts): possible = verdicts
        case .inconclusive(let why): obstacle = why.rawValue
        }
        return Self.object([
            "name": policy.verdict.map { .string($0.rawValue) },
            "possible": possible.isEmpty ? nil : .array(possible.map { .string($0.rawValue) }),
            "inconclusive": obstacle.map(JSONValue.string),
            "sandbox": CheckText.sandboxOption(policy).map(JSONValue.string),
            "windowLow": policy.window.map { .number($0.low) },
            "windowHigh": policy.window?.high.map(JSONValue.number),
            "windowEnd": Self.end(policy.windowEnd).map(JSONValue.string),
            "windowUses": Self.uses(policy.windowEnd).map { .integer(Int64($0)) },
            "endsAccess": policy.endsAccess.map(JSONValue.bool),
            "endsAfterWindow": policy.endsAfterWindow.map(JSONValue.bool),
            "evidence": .array(policy.evidence.map { .integer(Int64($0)) }),
        ])
    }

    private static func end(_ end: WindowEnd?) -> String? {
        switch end {
        case .time?: "time"
        case .uses?: "uses"
        case .undecided?: "undecided"
        case nil: nil
        }
    }

    /// The number of times that a replaced token was accepted within the window.
    private static func uses(_ end: WindowEnd?) -> Int? {
        switch end {
        case .time(let uses)?, .uses(let uses)?: uses
        case .undecided?, nil: nil
        }
    }

    private func probe(_ probe: ProbeResult) -> JSONValue {
        var state = "done"
        var reason: String?
        switch probe.state {
        case .done: break
        case .skipped(let why): (state, reason) = ("skipped", why.rawValue)
        case .inconclusive(let answer):
            (state, reason) = ("inconclusive", answer.map(ExchangeText.text))
        }
        return Self.object([
            "name": .string(probe.name.rawValue),
            "state": .string(state),
            "reason": reason.map(JSONValue.string),
            "seconds": .number(probe.seconds),
            "verdicts": .array(probe.verdicts.map { .string(VerdictText.text($0)) }),
            "evidence": .array(probe.evidence.map { .integer(Int64($0)) }),
        ])
    }

    private static func exchange(_ exchange: CheckExchange) -> JSONValue {
        object([
            "number": .integer(Int64(exchange.number)),
            "probe": .string(exchange.probe.rawValue),
            "lane": .integer(Int64(exchange.probeSession + 1)),
            "attempt": .integer(Int64(exchange.attempt)),
            "action": .string(ExchangeText.text(exchange.action)),
            "sentAt": .number(exchange.sentAt),
            "endedAt": .number(exchange.endedAt),
            "status": exchange.status.map { .integer(Int64($0)) },
            "outcome": .string(ExchangeText.text(exchange.outcome)),
            "error": exchange.code.map(JSONValue.string),
        ])
    }

    private static func expectation(_ outcome: CheckRequirements.Outcome) -> JSONValue {
        object([
            "name": .string(outcome.name),
            "outcome": .string(outcome.outcome.rawValue),
            "reason": outcome.reason.map { .string(CheckText.text($0)) },
        ])
    }

    private static func object(_ members: [String: JSONValue?]) -> JSONValue {
        .object(members.compactMapValues(\.self))
    }
}
