import Basics
import Model
import Observer
import Profiles

/// Renewals that fail, come too often, or ask for something else.
extension TrafficKind {
    static let renewals: [TrafficKind] = [
        TrafficKind(
            "an answer lists its tokens, and says of each of which kind it is",
            says: [.risk("expired-sent", "presents an access token that ended")],
            pairs: [3]
        ) { script in
            script.ask("POST", "/login", json: ["username": "ada", "password": "x"], 200, list(1))
            script.call(1)
            script.wait(400)
            script.call(1, "/items", 401)
        } twin: { script in
            script.ask("POST", "/login", json: ["username": "ada", "password": "x"], 200, list(1))
            for number in 1...2 {
                script.call(number)
                script.wait(290)
                let token = JSONValue.string(TrafficScript.refresh(number))
                let next = list(number + 1)
                script.ask("POST", "/auth/refresh", json: ["refreshToken": token], 200, next)
            }
            script.call(3)
        },
        TrafficKind(
            "a refusal comes with 200, and is stored as a token",
            says: [
                .bug("bad-header", "sends “undefined” in the place of a token"),
                .bug("dead-refresh-loop", "with a refresh token that #2 had refused for good"),
            ],
            pairs: [1, 1]
        ) { script in
            script.logIn()
            script.wait(290)
            for _ in 1...5 {
                refuseWithSuccess(in: &script)
                script.wait(1)
                script.ask("GET", "/user", bearer: "undefined", 401, ["message": "Bad credentials"])
                script.wait(59)
            }
        } twin: { script in
            script.logIn()
            script.wait(290)
            refuseWithSuccess(in: &script)
            script.logIn(2)
            script.call(2)
        },
        TrafficKind(
            "a refresh that is refused with a bare 401 is sent again at once, by the handler of 401",
            says: [.likelyBug("dead-refresh-loop", "that #3 had refused")],
            pairs: [1, 1]
        ) { script in
            script.logIn(life: 900)
            script.wait(910)
            script.call(1, "/items", 401)
            for _ in 1...60 { refuseBarely(in: &script) }
        } twin: { script in
            script.logIn(life: 900)
            script.wait(910)
            script.call(1, "/items", 401)
            refuseBarely(in: &script)
            script.logIn(2)
            script.call(2)
        },
        TrafficKind(
            "three mutations renew with one token, whose name says nothing of a refresh",
            says: [.bug("race", "3 refreshes with one refresh token")],
            pairs: [2]
        ) { script in
            logInByMutation(in: &script)
            script.wait(1_800)
            let renewals = (1...3).map { _ in
                script.wait(0.01)
                return sendMutation(1, in: &script)
            }
            script.finish(renewals[0], 200, mutationAnswer("renewToken", 2))
            for late in renewals[1...] {
                script.finish(late, 200, ["errors": [["message": "This token is revoked"]]])
            }
        } twin: { script in
            logInByMutation(in: &script)
            script.wait(1_790)
            let renewal = sendMutation(1, in: &script)
            script.finish(renewal, 200, mutationAnswer("renewToken", 2))
            script.ask("POST", "/graphql", bearer: TrafficScript.access(2), json: ["query": "{x}"])
        },
        TrafficKind(
            "a refresh that is refused for its resource has spent the token all the same",
            says: [
                .risk("refresh-refused", "refused with invalid_target"),
                .likelyBug("refresh-refused", "has spent the refresh token all the same"),
            ],
            pairs: [1, 1]
        ) { script in
            logInForResource(1, in: &script)
            script.wait(595)
            refreshForResource(1, refusedWith: "invalid_target", in: &script)
            script.wait(1)
            refreshForResource(1, refusedWith: "invalid_grant", in: &script)
            script.wait(10)
            logInForResource(2, in: &script)
        } twin: { script in
            logInForResource(1, in: &script)
            script.wait(595)
            refreshForResource(1, refusedWith: "invalid_grant", in: &script)
            script.wait(10)
            logInForResource(2, in: &script)
        },
        TrafficKind(
            "near the end of the session each token lives shorter, all to one instant",
            says: [.likelyNote("too-early", "end at one instant: likely the end of the session")],
            pairs: [3]
        ) { script in
            sessionRest(renewals: [240, 240, 95] + Array(repeating: 2, count: 10), in: &script)
        } twin: { script in
            sessionRest(renewals: [240, 240], in: &script)
        },
        TrafficKind(
            "a service asks for a token for each call",
            says: [.risk("login-storm", "6 logins of one client within a minute")],
            pairs: [1]
        ) { script in
            for number in 1...6 {
                logInByBasic(number, in: &script)
                script.call(number, "/search")
                script.wait(3)
            }
        } twin: { script in
            logInByBasic(1, in: &script)
            for _ in 1...20 {
                script.call(1, "/search")
                script.wait(3)
            }
        },
        TrafficKind(
            "a silent renewal is refused in the fragment of a redirection",
            says: [.risk("refresh-refused", "was refused with login_required")],
            pairs: [2]
        ) { script in
            authorize(1, in: &script)
            for _ in 1...3 {
                script.wait(20)
                refuseSilently(in: &script)
            }
        } twin: { script in
            // Nobody is signed in yet, which is what a page asks first.
            refuseSilently(in: &script)
            authorize(1, in: &script)
            script.wait(240)
            authorize(2, silently: true, in: &script)
        },
        TrafficKind(
            "a page of the same origin sends Origin with POST only, and is one client",
            says: [
                .bug("stale-token", "in #4 after #3 has brought generation 2"),
                .bug("stale-token", "in #9 after #3 has brought generation 2"),
                .bug("loop-401", "although #3 has brought a newer one"),
            ],
            pairs: [2]
        ) { script in
            sameOriginRenewal(in: &script)
            script.wait(5)
            for _ in 1...6 {
                script.call(1, "/api/me", 401)
                script.wait(0.98)
            }
        } twin: { script in
            sameOriginRenewal(in: &script)
            script.wait(5)
            for _ in 1...6 {
                script.call(2, "/api/me")
                script.wait(0.98)
            }
        },
    ]

    private static func refuseWithSuccess(in script: inout TrafficScript) {
        script.ask(
            "POST",
            "/login/oauth/access_token",
            form: "grant_type=refresh_token&refresh_token=\(TrafficScript.refresh(1))",
            200,
            [
                "error": "bad_refresh_token",
                "error_description": "The refresh token passed is incorrect or expired.",
            ]
        )
    }

    private static func list(_ number: Int) -> JSONValue {
        let access = JSONValue.string(TrafficScript.access(number))
        let refresh = JSONValue.string(TrafficScript.refresh(number))
        return [
            ["type": "access", "value": access, "expiresIn": 300],
            ["type": "refresh", "value": refresh, "expiresIn": 86_400],
        ]
    }

    private static func refuseBarely(in script: inout TrafficScript) {
        let exchange = script.askRefresh(1)
        script.finish(exchange, 401, ["message": "Unauthorized"])
        script.wait(0.04)
    }

    private static func mutationAnswer(_ name: String, _ number: Int) -> JSONValue {
        let access: JSONValue = [
            "token": .string(TrafficScript.access(number)), "expiresIn": 1_800,
        ]
        let refresh: JSONValue = ["token": .string(TrafficScript.refresh(number))]
        let tokens: JSONValue = ["accessToken": access, "refreshToken": refresh]
        return ["data": .object([name: ["tokens": tokens]])]
    }

    private static func logInByMutation(in script: inout TrafficScript) {
        script.ask(
            "POST",
            "/metadata",
            json: [
                "operationName": "SignIn", "query": "mutation SignIn",
                "variables": ["email": "a@example.com", "password": "correct"],
            ],
            200,
            mutationAnswer("signIn", 1)
        )
        script.ask("POST", "/graphql", bearer: TrafficScript.access(1), json: ["query": "{x}"])
    }

    private static func sendMutation(_ number: Int, in script: inout TrafficScript) -> Int {
        script.send(
            "POST",
            "/metadata",
            json: [
                "operationName": "RenewToken", "query": "mutation RenewToken",
                "variables": ["appToken": .string(TrafficScript.refresh(number))],
            ]
        )
    }

    private static func logInForResource(_ number: Int, in script: inout TrafficScript) {
        script.ask(
            "POST",
            "/oauth/token",
            form: "grant_type=authorization_code&code=c\(number)dec0de&client_id=c"
                + "&resource=https%3A%2F%2Fapi.example.com%2Fmcp",
            200,
            TrafficScript.pair(number, life: 600)
        )
        script.call(number)
    }

    private static func refreshForResource(
        _ number: Int,
        refusedWith code: String,
        in script: inout TrafficScript
    ) {
        script.ask(
            "POST",
            "/oauth/token",
            form: "grant_type=refresh_token&refresh_token=\(TrafficScript.refresh(number))"
                + "&client_id=c&resource=https%3A%2F%2Fapi.example.com%2Fmcp",
            400,
            ["error": .string(code)]
        )
    }

    /// A session of ten minutes with tokens of five.
    private static func sessionRest(renewals: [Double], in script: inout TrafficScript) {
        func pair(_ number: Int) -> JSONValue {
            let rest = (600 - script.seconds).rounded()
            return [
                "access_token": .string(TrafficScript.access(number)),
                "expires_in": .number(min(300, rest)), "refresh_expires_in": .number(rest),
                "refresh_token": .string(TrafficScript.refresh(number)),
            ]
        }
        script.ask(
            "POST",
            "/token",
            form: "grant_type=authorization_code&code=c0dec0de&client_id=web",
            200,
            pair(1)
        )
        for (number, wait) in zip(2..., renewals) {
            script.wait(wait)
            script.ask(
                "POST",
                "/token",
                form: "grant_type=refresh_token&client_id=web"
                    + "&refresh_token=\(TrafficScript.refresh(number - 1))",
                200,
                pair(number)
            )
            script.call(number)
        }
    }

    private static func logInByBasic(_ number: Int, in script: inout TrafficScript) {
        script.ask(
            "POST",
            "/api/token",
            headers: [WireHeader("Authorization", "Basic Y2xpZW50OnNlY3JldA==")],
            form: "grant_type=client_credentials",
            200,
            TrafficScript.pair(number, life: 3_600, refresh: false)
        )
    }

    private static let authorization =
        "/connect/authorize?client_id=spa&redirect_uri=https%3A%2F%2Fapp.example.com%2Fcb"
        + "&response_type=token&scope=openid&state=st1"

    private static func authorize(
        _ number: Int,
        silently isSilent: Bool = false,
        in script: inout TrafficScript
    ) {
        let claims: JSONValue = [
            "sub": "ada", "jti": .integer(Int64(number)), "exp": script.epoch(in: 300),
        ]
        let token = TrafficScript.webToken(claims)
        let location =
            "https://app.example.com/cb#access_token=\(token)&token_type=Bearer&expires_in=300"
        script.ask(
            "GET",
            authorization + (isSilent ? "&prompt=none" : ""),
            302,
            nil,
            fields: [WireHeader("Location", location + "&state=st1")]
        )
        script.ask("GET", "/me", bearer: token)
    }

    private static func refuseSilently(in script: inout TrafficScript) {
        let location = "https://app.example.com/silent.html#error=login_required&state=st1"
        script.ask(
            "GET",
            authorization + "&prompt=none",
            302,
            nil,
            fields: [WireHeader("Location", location)]
        )
    }

    private static func sameOriginRenewal(in script: inout TrafficScript) {
        let headers = [WireHeader("Origin", "https://api.example.com")]
        script.ask(
            "POST",
            "/api/login",
            headers: headers,
            json: ["email": "a@example.com", "password": "correct"],
            200,
            TrafficScript.pair(1, life: 3_600)
        )
        script.call(1, "/api/me")
        script.wait(3_500)
        script.ask(
            "POST",
            "/api/refresh",
            headers: headers,
            json: ["refresh_token": .string(TrafficScript.refresh(1))],
            200,
            TrafficScript.pair(2, life: 3_600)
        )
    }
}
