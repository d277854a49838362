import Basics
import UI

@testable import Model
@testable import Profiles

/// Sessions whose requests and renewals show why they fail, and their sound twins.
extension EventScript {
    /// The first token is accepted, and the following ones are not from their first second on.
    static func refusedWhenNew() -> EventScript { renewed(areAccepted: false) }

    static func acceptedWhenNew() -> EventScript { renewed(areAccepted: true) }

    private static func renewed(areAccepted: Bool) -> EventScript {
        var script = EventScript.started()
        script.wait(4)
        script.request(acceptance: .accepted)
        for _ in 1...2 {
            script.wait(8)
            script.renew()
            script.wait(1)
            script.request(
                status: areAccepted ? 200 : 401,
                acceptance: areAccepted ? .accepted : .refused,
                serverWords: areAccepted ? nil : "no matching key"
            )
        }
        return script
    }

    /// Requests that are refused with an error for which no renewal helps, or without one.
    static func stepUp(error: String?, demanding more: String? = nil) -> EventScript {
        var script = EventScript.started()
        script.request(acceptance: .accepted)
        for _ in 1...3 {
            script.wait(2)
            script.request(status: 401, acceptance: .undecided, serverWords: error)
            script.changeLast(Exchange.self) { exchange in
                exchange.evidence = error.map { error in
                    ResponseEvidence(
                        statusLine: "HTTP/1.1 401 Unauthorized",
                        rule: .notExpiredError(error),
                        demand: more.map { "\(error) \($0)" }
                    )
                }
            }
        }
        return script
    }

    /// Tokens that are refused until they have this age, and accepted then.
    static func refusedAtFirst(seconds: Double) -> EventScript {
        var script = EventScript.started()
        for _ in 1...2 {
            script.renew()
            for age in stride(from: 0.6, to: 6, by: 1) {
                let isAccepted = age > seconds
                script.wait(1)
                script.request(
                    status: isAccepted ? 200 : 401,
                    acceptance: isAccepted ? .accepted : .refused,
                    serverWords: isAccepted ? nil : "unknown token"
                )
                script.changeLast(Exchange.self) { $0.tokenAge = age }
            }
        }
        script.renew()
        script.wait(1)
        let isAccepted = seconds < 0.6
        for _ in 1...2 {
            script.request(
                status: isAccepted ? 200 : 401,
                acceptance: isAccepted ? .accepted : .refused
            )
        }
        return script
    }

    /// Tokens whose life is stated, each refused at the same age.
    static func lifetimes(of lifetime: Double, refusedAt age: Double) -> EventScript {
        var script = EventScript()
        script.capabilities(lifetimePlace: "expires_in")
        script.logIn()
        for _ in 1...2 {
            script.generation += 1
            script.issue(.refresh, access: Expiry(seconds: lifetime, source: .lifetime))
            script.wait(age - 1)
            script.request(acceptance: .accepted)
            script.wait(1)
            script.request(status: 401, acceptance: .refused, serverWords: "token expired")
        }
        script.generation += 1
        script.issue(.refresh, access: Expiry(seconds: lifetime, source: .lifetime))
        return script
    }

    /// A renewal whose answer has these fields; it brings the same access token unless it is new.
    static func renewal(answeredWith headers: [WireHeader], isNew: Bool) -> EventScript {
        var script = EventScript.ordinary()
        script.wait(1)
        script.request(.refresh, "POST", "/auth/refresh", status: 200, why: .refresh(.timer))
        script.changeLast(Exchange.self) { exchange in
            exchange.evidence = ResponseEvidence(
                statusLine: "HTTP/1.1 200 OK",
                headers: headers,
                rule: .success
            )
        }
        if isNew { script.generation += 1 }
        script.issue(.refresh, request: script.requests)
        return script
    }

    static func anotherUser(isUsed: Bool) -> EventScript {
        var script = EventScript.ordinary()
        script.add(UserChange(before: "ada", after: "bob", isUsed: isUsed))
        return script
    }

    /// A session that the backend has ended, in these words.
    static func endedWith(_ words: String) -> EventScript {
        var script = EventScript.ordinary()
        script.add(
            RefreshTokenRefused(
                RefusalEvidence(
                    age: 9,
                    lifetime: 300,
                    sendsWithoutAnswer: 0,
                    possibleCauses: [.usedElsewhere, .revoked],
                    message: words
                )
            )
        )
        script.add(SignedOut(.revoked))
        script.generation = 0
        script.enter(.signedOut(.revoked))
        return script
    }

    private static func started() -> EventScript {
        var script = EventScript()
        script.capabilities()
        script.logIn(accessLife: 60)
        return script
    }

    /// Changes the last event of a kind.
    private mutating func changeLast<Kind: EventKind>(_: Kind.Type, _ change: (inout Kind) -> Void)
    {
        guard let place = events.lastIndex(where: { $0.kind is Kind }),
            var kind = events[place].kind as? Kind
        else { return }
        change(&kind)
        events[place].kind = kind
    }
}
