import Basics
import FoundationEssentials
import Model
import Observer
import Profiles

/// Clocks that differ between an app, its backend and what issues its tokens, and answers of caches.
extension TrafficKind {
    static let clocks: [TrafficKind] = [
        TrafficKind(
            "the app waits for the end of its token by its own clock, which is behind",
            says: [.risk("expired-sent", "by this clock, which is 2 m behind the backend's")],
            pairs: [2]
        ) { script in
            let token = logIn(ahead: 120, in: &script)
            ask(token, ahead: 120, in: &script)
            script.wait(340)
            ask(token, ahead: 120, 401, in: &script)
            script.wait(20)
            renew(1, ahead: 120, in: &script)
        } twin: { script in
            let token = logIn(ahead: 120, in: &script)
            ask(token, ahead: 120, in: &script)
            script.wait(290)
            ask(renew(1, ahead: 120, in: &script), ahead: 120, in: &script)
        },
        TrafficKind(
            "nothing tells the backend's time, and the token seems to be over when it comes",
            says: [.risk("expiry-disagrees", "the clocks differ, or the token is not a new one")],
            pairs: [1]
        ) { script in
            let token = logIn(ahead: -400, isTold: false, in: &script)
            ask(token, ahead: -400, isTold: false, in: &script)
        } twin: { script in
            let token = logIn(ahead: 1, isTold: false, in: &script)
            ask(token, ahead: 1, isTold: false, in: &script)
        },
        TrafficKind(
            "the app makes its tokens by a clock that is ahead of the backend's",
            says: [.likelyRisk("early-death", "before its access token begins (iat)")],
            pairs: [1]
        ) { script in
            ask(token(1, ahead: 90, in: script), ahead: 0, 401, in: &script)
        } twin: { script in
            ask(token(1, ahead: -60, in: script), ahead: 0, in: &script)
        },
        TrafficKind(
            "the answer with the token comes from a cache, and the token in it has ended",
            says: [.risk("expired-sent", "#3 had brought it from a cache")],
            pairs: [1]
        ) { script in
            let token = fetch(1, in: &script)
            ask(token, ahead: 0, in: &script)
            script.wait(400)
            fetch(1, token, in: &script)
            script.wait(1)
            ask(token, ahead: 0, 401, in: &script)
        } twin: { script in
            ask(fetch(1, in: &script), ahead: 0, in: &script)
            script.wait(290)
            ask(fetch(2, in: &script), ahead: 0, in: &script)
        },
    ]

    /// A token that lives 300 s, of a clock that is ahead by some seconds.
    private static func token(_ number: Int, ahead: Double, in script: TrafficScript) -> String {
        TrafficScript.webToken([
            "sub": "7", "jti": .integer(Int64(number)), "iat": script.epoch(in: ahead),
            "exp": script.epoch(in: 300 + ahead),
        ])
    }

    private static func date(ahead: Double, _ script: TrafficScript) -> [WireHeader] {
        [WireHeader("Date", HTTPDate.format(script.now.wall.addingTimeInterval(ahead)))]
    }

    private static func logIn(
        ahead: Double,
        isTold: Bool = true,
        in script: inout TrafficScript
    ) -> String {
        let token = token(1, ahead: ahead, in: script)
        script.ask(
            "POST",
            "/login",
            json: ["password": "correct"],
            200,
            [
                "access_token": .string(token),
                "refresh_token": .string(TrafficScript.refresh(1)),
            ],
            fields: isTold ? date(ahead: ahead, script) : []
        )
        return token
    }

    @discardableResult
    private static func renew(
        _ number: Int,
        ahead: Double,
        in script: inout TrafficScript
    ) -> String {
        let token = token(number + 1, ahead: ahead, in: script)
        script.ask(
            "POST",
            "/auth/refresh",
            json: ["refresh_token": .string(TrafficScript.refresh(number))],
            200,
            [
                "access_token": .string(token),
                "refresh_token": .string(TrafficScript.refresh(number + 1)),
            ],
            fields: date(ahead: ahead, script)
        )
        return token
    }

    private static func ask(
        _ token: String,
        ahead: Double,
        isTold: Bool = true,
        _ status: Int = 200,
        in script: inout TrafficScript
    ) {
        let answer: JSONValue = status == 200 ? [:] : ["message": "no access"]
        let fields = isTold ? date(ahead: ahead, script) : []
        script.ask("GET", "/me", bearer: token, status, answer, fields: fields)
    }

    /// Fetches the access token of a session that a cookie has, again or from a cache.
    @discardableResult
    private static func fetch(
        _ number: Int,
        _ cached: String? = nil,
        in script: inout TrafficScript
    ) -> String {
        let token = cached ?? token(number, ahead: 0, in: script)
        script.ask(
            "GET",
            "/session/token",
            headers: [WireHeader("Cookie", "sid=a-session-on-the-server")],
            200,
            ["access_token": .string(token)],
            fields: date(ahead: 0, script) + (cached == nil ? [] : [WireHeader("Age", "400")])
        )
        return token
    }
}
