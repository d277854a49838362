import Basics
import Model
import Observer
import Profiles

/// What sound apps do that looks like a mistake: each beside the mistake.
extension RuleCase {
    static let soundHabits: [RuleCase] = [
        RuleCase("too-early", nil, .bug) { script in
            script.logIn(life: 3_600)
            return (1...5).map { number in
                script.wait(6)
                script.call(number)
                return script.renew(number, life: 3_600)
            }
        } twin: { script in
            // A page keeps its access token in memory, and begins with a refresh each time it is loaded.
            script.logIn(life: 3_600)
            for number in 1...7 {
                script.wait(6)
                load(in: &script)
                script.renew(number, life: 3_600)
                script.call(number + 1)
            }
        },
        RuleCase("too-early", nil, .risk, .likely) { script in
            // The page itself comes from elsewhere.
            script.logIn(life: 3_600)
            var numbers: [Int] = []
            for number in 1...5 {
                for _ in 1...3 {
                    script.wait(2)
                    let call = script.send(
                        "GET",
                        "/items",
                        bearer: TrafficScript.access(number),
                        headers: page("empty")
                    )
                    script.finish(call, 200, ["items": []])
                }
                let refresh = JSONValue.string(TrafficScript.refresh(number))
                let renewal = script.send(
                    "POST",
                    "/auth/refresh",
                    headers: page("empty"),
                    json: ["refresh_token": refresh]
                )
                script.finish(renewal, 200, TrafficScript.pair(number + 1, life: 3_600))
                numbers.append(renewal)
            }
            return numbers
        } twin: { script in
            // One refresh token obtains tokens for several resources.
            script.logIn(life: 3_600)
            for number in 1...6 {
                script.wait(1)
                let form = "grant_type=refresh_token&refresh_token=\(TrafficScript.refresh(number))"
                let renewal = script.send("POST", "/token", form: form + "&scope=api-\(number)")
                script.finish(renewal, 200, TrafficScript.pair(number + 1, life: 3_600))
            }
        },
        RuleCase("race", nil, .risk) { script in
            // Two tabs at a backend that answers a token once more for some seconds.
            script.logIn()
            script.wait(290)
            return atOnce([2, 2], in: &script)
        } twin: { script in
            script.logIn()
            script.wait(290)
            script.renew(1)
            script.call(2)
        },
        RuleCase("race") { script in
            script.logIn()
            script.wait(290)
            return atOnce([2, 3], in: &script)
        } twin: { script in
            // Several parts of an app renew with a refresh token that is never replaced.
            script.logIn()
            script.wait(290)
            _ = atOnce([nil, nil], in: &script)
            script.call(2)
            script.call(3)
        },
        RuleCase("stale-token", nil, .bug, .likely) { script in
            // Two tabs share a connection, and each its store.
            script.logIn()
            script.wait(290)
            let renewal = script.renew(1)
            script.wait(3)
            let request = script.send(
                "GET",
                "/items",
                bearer: TrafficScript.access(1),
                headers: page("empty")
            )
            script.finish(request, 401, ["error": "invalid_token"])
            return [renewal, request]
        } twin: { script in
            script.logIn()
            script.wait(290)
            script.renew(1)
            script.wait(3)
            script.call(2)
        },
        RuleCase("no-backoff", nil, .risk) { script in
            script.logIn()
            return (1...6).map { _ in
                script.wait(0.3)
                return script.call(1, "/search", 503)
            }
        } twin: { script in
            // A search while one types gives each request up for the next one.
            script.logIn()
            for _ in 1...8 {
                let search = script.send("GET", "/search", bearer: TrafficScript.access(1))
                script.wait(0.2)
                script.giveUp(search)
                script.fail(search, .abandoned)
                script.wait(0.1)
            }
            script.call(1, "/search")
        },
        RuleCase("login-storm", nil, .risk, .likely) { script in
            // More than a service has parts.
            takeTokens(1...10, in: &script)
        } twin: { script in
            // Parts of a service that have a token each, and another one when that has ended.
            for first in [1, 5, 9] {
                _ = takeTokens(first...first + 3, life: 10, in: &script)
                script.wait(9)
            }
        },
        RuleCase("login-storm", nil, .risk) { script in
            (1...3).map { number in
                script.wait(5)
                return script.logIn(number)
            }
        } twin: { script in
            // Users one after the other, of whom nothing tells the names.
            for number in 1...5 {
                let user = JSONValue.string("user-\(number)")
                let login = script.send("POST", "/login", json: ["login": user, "password": "b"])
                script.finish(login, 200, TrafficScript.pair(number, life: 3_600))
                script.wait(5)
            }
        },
        RuleCase("no-backoff", nil, .risk, .likely) { script in
            // One thing after the other.
            script.logIn()
            return (1...6).map { number in
                script.wait(0.3)
                return script.call(1, "/items/\(500 + number % 3)", 503)
            }
        } twin: { script in
            script.logIn()
            for number in 1...6 {
                script.wait(0.3)
                script.call(1, "/items/\(500 + number)", 503)
            }
        },
        RuleCase("expired-sent", nil, .risk) { script in
            script.logIn()
            script.wait(310)
            return [script.call(1, "/items", 401)]
        } twin: { script in
            // A refresh brings the same access token with a later end, and another refresh token.
            script.logIn()
            for number in 1...3 {
                script.wait(200)
                let renewal = script.askRefresh(number)
                let refresh = JSONValue.string(TrafficScript.refresh(number + 1))
                script.finish(
                    renewal,
                    200,
                    [
                        "access_token": .string(TrafficScript.access(1)), "expires_in": 300,
                        "refresh_token": refresh,
                    ]
                )
                script.wait(150)
                script.call(1)
            }
        },
        RuleCase("loop-401", "forbidden", .risk, .likely) { script in
            // A session in a cookie that ends without a word.
            let last = ask(200, in: &script)
            return [last] + (1...5).map { _ in ask(403, in: &script) }
        } twin: { script in
            // Some things are forbidden, and others are not.
            for _ in 1...4 {
                _ = ask(200, in: &script)
                _ = ask(403, "/admin", in: &script)
                _ = ask(403, "/users", in: &script)
            }
        },
        RuleCase("refresh-refused", "step-up", .risk) { script in
            script.logIn()
            script.wait(10)
            let first = forbidden(1, in: &script)
            let renewal = script.renew(1)
            script.wait(1)
            return [first, renewal, forbidden(2, in: &script)]
        } twin: { script in
            // A poll that may not, all the time, around a renewal for another reason.
            script.logIn()
            script.wait(10)
            for _ in 1...3 {
                _ = forbidden(1, in: &script)
                script.wait(2)
            }
            script.renew(1)
            script.wait(1)
            _ = forbidden(2, in: &script)
        },
        RuleCase("spent-refresh", "not-stored") { script in
            // A gateway wants the app's own token, the same for all users, with a renewal, too.
            script.logIn()
            script.call(1)
            publicCall(in: &script)
            script.wait(290)
            let first = renewByGateway(1, in: &script)
            script.wait(30)
            return [first, renewByGateway(1, isRefused: true, in: &script)]
        } twin: { script in
            // Two users of one app, one after the other.
            for user in [10, 20] {
                publicCall(in: &script)
                script.logIn(user)
                script.call(user)
                script.wait(290)
                renewByGateway(user, in: &script)
                script.call(user + 1)
                script.logOut(user + 1)
                script.wait(5)
            }
        },
    ]

    private static let publicKey = TrafficScript.webToken(["role": "anon", "iss": "acme"])

    private static func publicCall(in script: inout TrafficScript) {
        let call = script.send("GET", "/prices", bearer: publicKey)
        script.finish(call, 200, ["prices": []])
    }

    @discardableResult
    private static func renewByGateway(
        _ number: Int,
        isRefused: Bool = false,
        in script: inout TrafficScript
    ) -> Int {
        let renewal = script.send(
            "POST",
            "/auth/refresh",
            bearer: publicKey,
            json: ["refresh_token": .string(TrafficScript.refresh(number))]
        )
        if isRefused {
            script.finish(renewal, 400, ["error": "invalid_grant"])
        } else {
            script.finish(renewal, 200, TrafficScript.pair(number + 1))
        }
        return renewal
    }

    private static func page(_ use: String) -> [WireHeader] {
        [WireHeader("Sec-Fetch-Site", "same-origin"), WireHeader("Sec-Fetch-Dest", use)]
    }

    private static func load(in script: inout TrafficScript) {
        let load = script.send("GET", "/app", headers: page("document"))
        let type = [WireHeader("Content-Type", "text/html")]
        script.wait(TrafficScript.roundTrip)
        script.answer(load, 200, headers: type, body: Array("<!doctype html>".utf8))
        script.deliver(load)
    }

    /// Two refreshes with the first token, whose answers bring these refresh tokens, or none.
    private static func atOnce(_ brought: [Int?], in script: inout TrafficScript) -> [Int] {
        let renewals = brought.map { _ in script.askRefresh(1) }
        for (index, renewal) in renewals.enumerated() {
            let number = brought[index]
            script.finish(
                renewal,
                200,
                TrafficScript.pair(number ?? index + 2, refresh: number != nil)
            )
        }
        return renewals
    }

    private static func ask(
        _ status: Int,
        _ path: String = "/torrents",
        in script: inout TrafficScript
    ) -> Int {
        script.wait(5)
        let cookie = [WireHeader("Cookie", "session=d41d8cd98f00b204e9800998")]
        let request = script.send("GET", path, headers: cookie)
        script.finish(request, status, status == 200 ? ["items": []] : nil)
        return request
    }

    private static func forbidden(_ number: Int, in script: inout TrafficScript) -> Int {
        let request = script.send("GET", "/admin", bearer: TrafficScript.access(number))
        script.finish(request, 403, ["error": "insufficient_scope"])
        return request
    }

    /// Takes tokens with a client's own credentials, each of which is used on.
    private static func takeTokens(
        _ numbers: ClosedRange<Int>,
        life: Double = 3_600,
        in script: inout TrafficScript
    ) -> [Int] {
        numbers.map { number in
            let form = "grant_type=client_credentials&client_id=a&client_secret=b"
            let login = script.send("POST", "/token", form: form)
            script.finish(login, 200, TrafficScript.pair(number, life: life, refresh: false))
            for earlier in numbers.lowerBound...number { script.call(earlier) }
            return login
        }
    }
}
