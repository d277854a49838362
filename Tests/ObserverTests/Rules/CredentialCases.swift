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
        RuleCase("bad-header", "lost", .risk, .likely) { script in
            // The token was in the memory of a page that is loaded again.
            script.logIn(life: 3_600)
            script.call(1, "/items")
            let last = script.call(1, "/me")
            _ = ask("/never-asked-before", in: &script)
            return [last] + ["/me", "/items", "/me"].map { path in ask(path, in: &script) }
        } twin: { script in
            // Signed out without a word, it asks who is there.
            script.logIn(life: 3_600)
            script.call(1, "/items")
            script.call(1, "/me")
            for _ in 1...5 { _ = ask("/me", in: &script) }
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
        RuleCase("bad-header", "no-refresh-token", .bug, .likely) { script in
            script.logIn()
            script.wait(290)
            let renewal = script.send("POST", "/auth/refresh")
            script.finish(renewal, 400, ["error": "refresh token required"])
            return [renewal]
        } twin: { script in
            // The browser sends a cookie, which the archive does not show.
            script.logIn(refresh: false)
            script.wait(290)
            let renewal = script.send("POST", "/auth/refresh")
            script.finish(renewal, 400, ["error": "refresh token required"])
        },
        RuleCase("bad-header", "wrong-token") { script in
            script.logIn()
            script.wait(290)
            let token = JSONValue.string(TrafficScript.access(1))
            let renewal = script.send("POST", "/auth/refresh", json: ["refresh_token": token])
            script.finish(renewal, 401, ["error": "invalid refresh token"])
            return [renewal]
        } twin: { script in
            // A backend whose access tokens renew themselves.
            script.logIn(refresh: false)
            script.wait(290)
            let token = JSONValue.string(TrafficScript.access(1))
            let renewal = script.send("POST", "/auth/refresh", json: ["refresh_token": token])
            script.finish(renewal, 200, TrafficScript.pair(2, refresh: false))
            script.call(2)
        },
        RuleCase("bad-header", "form", .bug, .likely) { script in
            script.logIn()
            return [call(TrafficScript.access(1), 401, in: &script)]
        } twin: { script in
            script.logIn(life: 30)
            _ = call(TrafficScript.access(1), in: &script)
            script.wait(31)
            _ = call(TrafficScript.access(1), 401, in: &script)
            script.renew(1, life: 30)
            _ = call(TrafficScript.access(2), in: &script)
        },
        RuleCase("bad-header", "form", .bug, .likely) { script in
            script.logIn()
            return [call("bearer: " + TrafficScript.access(1), 401, in: &script)]
        } twin: { script in
            script.logIn()
            _ = call("bearer: " + TrafficScript.access(1), in: &script)
        },
        RuleCase("bad-header", "altered", .bug, .likely) { script in
            // A form that does not escape what it holds.
            issue(refresh: "MTIzNDU2Nzg5+MDEyMzQ1Njc4OTAx==", in: &script)
            script.wait(290)
            let form = "grant_type=refresh_token&refresh_token=MTIzNDU2Nzg5+MDEyMzQ1Njc4OTAx=="
            let renewal = script.send("POST", "/oauth/token", form: form)
            script.finish(renewal, 400, ["error": "invalid_grant"])
            return [renewal]
        } twin: { script in
            issue(refresh: "MTIzNDU2Nzg5+MDEyMzQ1Njc4OTAx==", in: &script)
            script.wait(290)
            let form = "grant_type=refresh_token&refresh_token=MTIzNDU2Nzg5%2BMDEyMzQ1Njc4OTAx=="
            let renewal = script.send("POST", "/oauth/token", form: form)
            script.finish(renewal, 400, ["error": "invalid_grant"])
        },
        RuleCase("bad-header", "altered", .bug, .likely) { script in
            // A column of a database had room for 255 bytes.
            let token = longToken(300)
            issue(access: token, in: &script)
            script.wait(2)
            return [call("Bearer \(token.prefix(255))", 401, in: &script)]
        } twin: { script in
            let token = longToken(300)
            issue(access: token, in: &script)
            script.wait(2)
            _ = call("Bearer \(token)", in: &script)
            // Another one, that begins alike.
            _ = call("Bearer \(token.prefix(100))\(longToken(200, seed: 7))", 401, in: &script)
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

    private static func call(
        _ authorization: String,
        _ status: Int = 200,
        in script: inout TrafficScript
    ) -> Int {
        let request = script.send(
            "GET",
            "/items",
            headers: [WireHeader("Authorization", authorization)]
        )
        script.finish(request, status, status == 200 ? ["items": []] : ["error": "unauthorized"])
        return request
    }

    private static func issue(
        access: String = TrafficScript.access(1),
        refresh: String = TrafficScript.refresh(1),
        in script: inout TrafficScript
    ) {
        let login = script.send("POST", "/login", json: ["username": "ada", "password": "correct"])
        script.finish(
            login,
            200,
            [
                "access_token": .string(access), "refresh_token": .string(refresh),
                "expires_in": 300,
            ]
        )
    }

    /// A token of letters and digits that repeat only after long.
    private static func longToken(_ size: Int, seed: Int = 1) -> String {
        let letters = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789".utf8)
        let bytes = (0..<size).map { letters[($0 * $0 * seed + $0 * 7 + seed) % letters.count] }
        return String(decoding: bytes, as: UTF8.self)
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

    /// Asks with no token, and is refused.
    private static func ask(_ path: String, in script: inout TrafficScript) -> Int {
        script.wait(3)
        let request = script.send("GET", path)
        script.finish(request, 401, ["error": "unauthorized"])
        return request
    }

    /// Asks for a token with nothing that is known for a credential.
    private static func issue(_ number: Int, in script: inout TrafficScript) -> Int {
        let request = script.send("POST", "/v1.0/accessToken", json: ["appKey": "app"])
        script.finish(request, 200, TrafficScript.pair(number, refresh: false))
        return request
    }
}
