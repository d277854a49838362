import Basics
import FoundationEssentials
import Model
import Observer
import Profiles

/// Logins and renewals that ask for other rights than their session has, or needs.
extension RuleCase {
    static let grants: [RuleCase] = [
        RuleCase("refresh-refused", nil, .risk) { script in
            // A scope that the login was not granted.
            let login = script.askByCode("&scope=read")
            script.finish(login, 200, TrafficScript.pair(1))
            script.wait(290)
            let refused = script.askByRefreshToken(1, "&scope=read%20admin")
            script.finish(refused, 400, ["error": "invalid_scope"])
            script.wait(1)
            let renewal = script.askByRefreshToken(1)
            script.finish(renewal, 200, TrafficScript.pair(2))
            return [login, refused]
        } twin: { script in
            // Less than the login was granted may be asked for, or nothing.
            let login = script.askByCode("&scope=read%20write")
            script.finish(login, 200, TrafficScript.pair(1))
            script.wait(290)
            let renewal = script.askByRefreshToken(1, "&scope=read")
            script.finish(renewal, 200, TrafficScript.pair(2))
        },
        RuleCase("refresh-refused", "differs", .risk, .likely) { script in
            let login = script.askByCode("&client_id=web-app")
            script.finish(login, 200, TrafficScript.pair(1))
            script.wait(290)
            let refused = script.askByRefreshToken(1, "&client_id=mobile")
            script.finish(refused, 400, ["error": "invalid_grant"])
            return [login, refused]
        } twin: { script in
            let login = script.askByCode("&client_id=web-app")
            script.finish(login, 200, TrafficScript.pair(1))
            script.wait(290)
            let refused = script.askByRefreshToken(1, "&client_id=web-app")
            script.finish(refused, 400, ["error": "invalid_grant"])
        },
        RuleCase("refresh-refused", "step-up", .risk) { script in
            func transfer(_ number: Int) -> Int {
                let transfer = script.send(
                    "POST",
                    "/transfers",
                    bearer: TrafficScript.access(number)
                )
                script.finish(transfer, 401, headers: [challenge])
                return transfer
            }
            script.logIn()
            script.wait(10)
            let first = transfer(1)
            let renewal = script.renew(1)
            script.wait(1)
            return [first, renewal, transfer(2)]
        } twin: { script in
            // The user signs in again, as the backend asks.
            script.logIn()
            script.wait(10)
            let first = script.send("POST", "/transfers", bearer: TrafficScript.access(1))
            script.finish(first, 401, headers: [challenge])
            script.wait(5)
            let login = script.askByCode()
            script.finish(login, 200, TrafficScript.pair(7))
            let second = script.send("POST", "/transfers", bearer: TrafficScript.access(7))
            script.finish(second, 201)
        },
        RuleCase("refresh-refused", "step-up", .risk) { script in
            script.logIn()
            script.wait(10)
            let first = ask(1, "insufficient_scope", in: &script)
            let renewal = script.renew(1)
            script.wait(1)
            return [first, renewal, ask(2, "insufficient_scope", in: &script)]
        } twin: { script in
            // The renewal was due, and the user tries again after it.
            script.logIn()
            script.wait(10)
            _ = ask(1, "insufficient_scope", in: &script)
            script.wait(270)
            script.renew(1)
            script.wait(60)
            _ = ask(2, "insufficient_scope", in: &script)
        },
        RuleCase("no-offline-access", nil, .risk, .likely) { script in
            let other = script.askByCode("&scope=openid%20offline_access")
            script.finish(other, 200, TrafficScript.pair(9))
            script.userAgent = "Dalvik/2.1"
            return [logIn("openid", refresh: false, in: &script), other]
                + [useAfterEnd(in: &script)]
        } twin: { script in
            // The provider issues no refresh token although it was asked for one.
            _ = logIn("openid offline_access", refresh: false, in: &script)
            script.wait(310)
            script.call(1, "/items", 401)
            let login = script.askByCode()
            script.finish(login, 200, TrafficScript.pair(2, refresh: false))
        },
        RuleCase("no-offline-access", nil, .note, .likely) { script in
            let login = logIn("openid profile", refresh: false, in: &script)
            return [login, useAfterEnd(in: &script)]
        } twin: { script in
            // A session that is renewed in another way before its end.
            for number in 1...3 {
                let login = script.askByCode("&scope=openid")
                script.finish(login, 200, TrafficScript.pair(number, refresh: false))
                script.call(number)
                script.wait(290)
            }
        },
        RuleCase("no-offline-access", nil, .note, .likely) { script in
            // The scope of an API alone, and a token that names its issuer.
            let claims: JSONValue = ["iss": "https://login.example.com/v2.0", "scp": "api"]
            return useAfterEnd(ofTokenWith: claims, in: &script)
        } twin: { script in
            _ = useAfterEnd(ofTokenWith: nil, in: &script)
        },
    ]

    private static let challenge = WireHeader(
        "WWW-Authenticate",
        "Bearer error=\"insufficient_user_authentication\", acr_values=\"gold\""
    )

    /// A request for which the token is not good enough.
    private static func ask(
        _ number: Int,
        _ code: String,
        in script: inout TrafficScript
    ) -> Int {
        let request = script.send("POST", "/payments", bearer: TrafficScript.access(number))
        script.finish(request, 403, ["error": .string(code)])
        return request
    }

    private static func logIn(
        _ scopes: String,
        refresh: Bool,
        in script: inout TrafficScript
    ) -> Int {
        let words = scopes.replacing(" ", with: "%20")
        let login = script.askByCode("&scope=\(words)")
        script.finish(login, 200, TrafficScript.pair(1, refresh: refresh))
        return login
    }

    /// The same of a token with claims, for the scope of an API.
    private static func useAfterEnd(
        ofTokenWith claims: JSONValue?,
        in script: inout TrafficScript
    ) -> [Int] {
        let login = script.askByCode("&scope=api")
        script.finish(login, 200, TrafficScript.pair(1, refresh: false, claims: claims))
        script.wait(310)
        let token = claims.map(TrafficScript.webToken) ?? TrafficScript.access(1)
        let late = script.send("GET", "/items", bearer: token)
        script.finish(late, 401, ["error": "invalid_token"])
        let again = script.askByCode()
        script.finish(again, 200, TrafficScript.pair(2, refresh: false))
        return [login, late]
    }

    /// A request of an app that learns by it that its user has to sign in.
    private static func useAfterEnd(in script: inout TrafficScript) -> Int {
        script.wait(310)
        let late = script.call(1, "/items", 401)
        let login = script.askByCode()
        script.finish(login, 200, TrafficScript.pair(2, refresh: false))
        return late
    }
}
