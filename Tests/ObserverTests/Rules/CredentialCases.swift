import Basics
import Model
import Observer
import Profiles

/// Clients that present something else than the token that is asked for.
extension RuleCase {
    static let credentials: [RuleCase] = [
        RuleCase("bad-header", "placeholder") { script in
            // The answer before had no refresh token, and its absence was stored.
            script.logIn()
            script.wait(290)
            return [ask(refresh: "undefined", at: "/", in: &script)]
        } twin: { script in
            script.logIn()
            script.wait(290)
            _ = ask(refresh: "undefined", at: "/auth/logout", in: &script)
        },
        RuleCase("bad-header", "placeholder") { script in
            // A provider with a scheme of its own.
            script.logIn()
            script.wait(290)
            return [call("Zoho-oauthtoken undefined", in: &script)]
        } twin: { script in
            script.logIn()
            _ = call("Zoho-oauthtoken \(TrafficScript.access(1))", in: &script)
        },
        RuleCase("bad-header", "no-refresh-token", .bug, .likely) { script in
            script.logIn()
            script.wait(290)
            return [ask(with: TrafficScript.access(1), 422, in: &script)]
        } twin: { script in
            script.logIn(refresh: false)
            script.wait(290)
            _ = ask(with: TrafficScript.access(1), 422, in: &script)
        },
        RuleCase("expired-sent", nil, .risk) { script in
            // A client whose login only its answer tells logs in again after the refusal.
            _ = issue(1, in: &script)
            script.wait(310)
            let first = script.call(1, "/items", 401)
            script.wait(3)
            let second = script.call(1, "/items", 401)
            script.wait(30)
            _ = issue(2, in: &script)
            return [first, second]
        } twin: { script in
            for number in 1...3 {
                _ = issue(number, in: &script)
                script.wait(310)
                script.call(number, "/items", 401)
                script.wait(3)
            }
            _ = issue(4, in: &script)
        },
    ]
    private static func call(_ authorization: String, in script: inout TrafficScript) -> Int {
        let request = script.send(
            "GET",
            "/items",
            headers: [WireHeader("Authorization", authorization)]
        )
        script.finish(request, 200, ["items": []])
        return request
    }

    private static func ask(
        refresh: String,
        at path: String,
        in script: inout TrafficScript
    ) -> Int {
        let request = script.send(
            "POST",
            path,
            json: ["AuthParameters": ["REFRESH_TOKEN": .string(refresh)]]
        )
        script.finish(request, 400, ["__type": "NotAuthorizedException"])
        return request
    }

    private static func ask(
        with access: String,
        _ status: Int,
        in script: inout TrafficScript
    ) -> Int {
        let request = script.send("POST", "/auth/refresh", bearer: access)
        script.finish(request, status, ["msg": "Only refresh tokens are allowed"])
        return request
    }

    /// Asks for a token with nothing that is known for a credential.
    private static func issue(_ number: Int, in script: inout TrafficScript) -> Int {
        let request = script.send("POST", "/v1.0/accessToken", json: ["appKey": "app"])
        script.finish(request, 200, TrafficScript.pair(number, refresh: false))
        return request
    }
}
