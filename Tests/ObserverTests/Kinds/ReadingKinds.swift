import Basics
import FoundationEssentials
import Model
import Observer
import Profiles

/// Answers, requests and names that are not the usual ones.
extension TrafficKind {
    static let reading: [TrafficKind] = [
        TrafficKind(
            "the token endpoint answers as a form, the default of a large provider",
            says: [.bug("spent-refresh", "sends a refresh token that #2 had replaced")],
            pairs: [2]
        ) { script in
            answerAsForm(1, in: &script)
            script.wait(28_000)
            answerAsForm(2, in: &script)
            script.wait(5)
            script.ask(
                "POST",
                "/login/oauth/access_token",
                form: "grant_type=refresh_token&refresh_token=\(TrafficScript.refresh(1))",
                400,
                ["error": "bad_refresh_token"]
            )
        } twin: { script in
            answerAsForm(1, in: &script)
            script.call(1)
            script.wait(28_000)
            answerAsForm(2, in: &script)
            script.call(2)
        },
        TrafficKind(
            "JSON comes as text/plain, and the provider wants its tokens in the query",
            says: [
                .risk("token-in-url", "a refresh token in its URL"),
                .risk("token-in-url", "an access token in its URL"),
            ],
            pairs: [2]
        ) { script in
            answerAsText("GET", "/sns/oauth2/access_token?appid=wx0&code=c0dec0de", 1, in: &script)
            script.ask("GET", "/sns/userinfo?access_token=\(TrafficScript.access(1))&openid=oL")
            script.wait(7_000)
            answerAsText(
                "GET",
                "/sns/oauth2/refresh_token?grant_type=refresh_token"
                    + "&refresh_token=\(TrafficScript.refresh(1))",
                2,
                in: &script
            )
        } twin: { script in
            answerAsText("GET", "/sns/oauth2/access_token?appid=wx0&code=c0dec0de", 1, in: &script)
            script.call(1, "/sns/userinfo")
            script.wait(7_000)
            answerAsText(
                "POST",
                "/sns/oauth2/refresh_token",
                form: "grant_type=refresh_token&refresh_token=\(TrafficScript.refresh(1))",
                2,
                in: &script
            )
            script.call(2, "/sns/userinfo")
        },
        TrafficKind(
            "the scheme is another word than Bearer",
            says: [.bug("loop-401", "6 requests in 5 s with one access token")],
            pairs: [2]
        ) { script in
            script.logIn(life: 14_124)
            script.wait(14_000)
            for _ in 1...6 {
                script.ask("GET", "/validate", headers: scheme(1), 401, ["message": "invalid"])
                script.wait(0.98)
            }
        } twin: { script in
            script.logIn(life: 14_124)
            script.ask("GET", "/validate", headers: scheme(1))
            script.wait(14_000)
            script.ask("GET", "/validate", headers: scheme(1), 401, ["message": "invalid"])
            script.renew(1, life: 14_124)
            script.ask("GET", "/validate", headers: scheme(2))
        },
        TrafficKind(
            "the token comes in a field of the answer, and is sent in another field",
            says: [
                .risk("expired-sent", "presents an access token that ended"),
                .likelyRisk("loop-401", "and no login follows"),
            ],
            pairs: [1, 1]
        ) { script in
            logInBySubjectToken(1, in: &script)
            script.wait(3_700)
            for number in 1...6 {
                sendSubjectToken(1, to: "/v1/c/object-\(number)", 401, in: &script)
                script.wait(0.98)
            }
        } twin: { script in
            logInBySubjectToken(1, in: &script)
            sendSubjectToken(1, to: "/v1/c/object-1", 200, in: &script)
            script.wait(3_700)
            sendSubjectToken(1, to: "/v1/c/object-2", 401, in: &script)
            logInBySubjectToken(2, in: &script)
            sendSubjectToken(2, to: "/v1/c/object-2", 200, in: &script)
        },
        TrafficKind(
            "a known token is a segment of a path",
            says: [
                .risk("token-in-url", "an access token in its URL, in the path"),
                .likelyBug("token-in-url", "a refresh token in its URL, in the path"),
            ],
            pairs: [1]
        ) { script in
            script.logIn(life: 1_800)
            script.ask("GET", "/oauth/v1/access-tokens/\(TrafficScript.access(1))")
            script.ask("GET", "/oauth/v1/refresh-tokens/\(TrafficScript.refresh(1))")
            script.call(1)
        } twin: { script in
            script.logIn(life: 1_800)
            script.ask("POST", "/introspect", form: "token=\(TrafficScript.access(1))")
            script.ask("GET", "/oauth/v1/access-tokens/7e1c2a50-93d1-4a1e-8c1b-0a7d3b1f2c44")
            script.call(1)
        },
        TrafficKind(
            "an envelope brings a session token and a master token, which each renewal replaces",
            says: [.bug("spent-refresh", "sends a refresh token that #3 had replaced")],
            pairs: [3]
        ) { script in
            masterTokens(sent: [1, 1], in: &script)
            script.wait(3_600)
            script.ask(
                "POST",
                "/session/token-request",
                headers: snowflake(TrafficScript.refresh(1)),
                json: ["oldSessionToken": .string(TrafficScript.access(3))],
                200,
                ["code": "390114", "message": "Token has expired.", "success": false]
            )
        } twin: { script in
            masterTokens(sent: [1, 2], in: &script)
        },
        TrafficKind(
            "a token ends in the year 9999, which means never",
            says: [.bug("loop-401", "6 requests in 5 s with one access token")],
            pairs: [1]
        ) { script in
            neverEnding(in: &script)
            for _ in 1...6 {
                script.call(1, "/items", 401)
                script.wait(0.98)
            }
        } twin: { script in
            neverEnding(in: &script)
            for _ in 1...6 {
                script.wait(86_400)
                script.call(1)
            }
        },
        TrafficKind(
            "a refresh token is sent as Bearer, at a path that does not say refresh",
            says: [.bug("bad-header", "refresh token")],
            pairs: [3]
        ) { script in
            script.logIn(life: 900)
            script.wait(5)
            script.ask("GET", "/me", bearer: TrafficScript.refresh(1), 401, ["error": "wrong"])
        } twin: { script in
            script.logIn(life: 900)
            for number in 1...2 {
                script.call(number, "/me")
                script.wait(880)
                script.ask(
                    "POST",
                    "/api/token",
                    bearer: TrafficScript.refresh(1),
                    200,
                    TrafficScript.pair(number + 1, life: 900, refresh: false)
                )
            }
        },
        TrafficKind(
            "a cookie has the scheme and quotes around its token",
            says: [
                .bug("loop-401", "6 requests in 5 s with one access token"),
                .risk("expired-sent", "presents an access token that ended"),
            ],
            pairs: [1, 1]
        ) { script in
            quotedCookie(for: 1...1, in: &script)
            script.wait(300)
            for _ in 1...6 {
                sendQuotedCookie(1, 401, in: &script)
                script.wait(0.98)
            }
        } twin: { script in
            quotedCookie(for: 1...1, in: &script)
            script.wait(310)
            sendQuotedCookie(1, 401, in: &script)
            quotedCookie(for: 2...2, in: &script)
        },
        TrafficKind(
            "temporary credentials sign the requests of an app that had got them before",
            says: [.likelyRisk("loop-401", "8 requests in 36 s with one access token")],
            pairs: [1, 1]
        ) { script in
            for _ in 1...3 { sendSigned(1, in: &script) }
            for _ in 1...8 {
                sendSigned(1, 400, in: &script)
                script.wait(5)
            }
        } twin: { script in
            for number in 1...2 {
                assumeRole(number, in: &script)
                for _ in 1...3 {
                    sendSigned(number, in: &script)
                    script.wait(280)
                }
            }
        },
        TrafficKind(
            "an app has got other credentials, and signs with those that have ended",
            says: [
                .risk("expired-sent", "presents an access token that ended"),
                .likelyRisk("loop-401", "and what #3 has brought since is not used"),
            ],
            pairs: [1, 1]
        ) { script in
            assumeRole(1, in: &script)
            sendSigned(1, in: &script)
            script.wait(890)
            assumeRole(2, in: &script)
            script.wait(20)
            for _ in 1...6 {
                sendSigned(1, 400, in: &script)
                script.wait(5)
            }
        } twin: { script in
            for number in 1...2 {
                assumeRole(number, in: &script)
                sendSigned(number, in: &script)
                script.wait(890)
            }
        },
        TrafficKind(
            "the error of a service has its name space before it",
            says: [.likelyRisk("loop-401", "5 requests in 21 s with one access token")],
            pairs: [1]
        ) { script in
            for _ in 1...5 {
                sendSigned(
                    1,
                    400,
                    error: "com.amazon.coral.service#ExpiredTokenException",
                    in: &script
                )
                script.wait(5)
            }
        } twin: { script in
            sendSigned(1, in: &script)
            for _ in 1...5 {
                sendSigned(
                    1,
                    400,
                    error: "com.amazon.coral.service#ValidationException",
                    in: &script
                )
                script.wait(5)
            }
        },
    ]

    private static func assumeRole(_ number: Int, in script: inout TrafficScript) {
        let end = script.now.wall.addingTimeInterval(900).formatted(Date.ISO8601FormatStyle())
        script.ask(
            "POST",
            "/sts",
            form: "Action=AssumeRoleWithWebIdentity&RoleArn=arn:aws:iam::123456789012:role/app",
            answer: "<AssumeRoleResult><Credentials><AccessKeyId>ASIAIOSFODNN7EXAMPLE</AccessKeyId>"
                + "<SessionToken>\(TrafficScript.access(number))</SessionToken>"
                + "<Expiration>\(end)</Expiration></Credentials></AssumeRoleResult>",
            as: "text/xml"
        )
    }

    private static func sendSigned(
        _ number: Int,
        _ status: Int = 200,
        error: String? = nil,
        in script: inout TrafficScript
    ) {
        let signature =
            "AWS4-HMAC-SHA256 Credential=ASIAIOSFODNN7EXAMPLE/20260301/us-east-1/s3/"
            + "aws4_request, SignedHeaders=host, Signature=3d1c0a7f\(Int(script.seconds))"
        let headers = [
            WireHeader("Authorization", signature),
            WireHeader("X-Amz-Security-Token", TrafficScript.access(number)),
        ]
        let code: JSONValue = error.map { ["__type": .string($0)] } ?? ["Code": "ExpiredToken"]
        script.ask("GET", "/object", headers: headers, status, status == 200 ? [:] : code)
    }

    private static func answerAsForm(_ number: Int, in script: inout TrafficScript) {
        let grant =
            number == 1
            ? "code=c0dec0dec0de"
            : "grant_type=refresh_token&refresh_token=\(TrafficScript.refresh(number - 1))"
        script.ask(
            "POST",
            "/login/oauth/access_token",
            form: "client_id=Iv1.0a1b&client_secret=correct-horse-battery&\(grant)",
            answer: "access_token=\(TrafficScript.access(number))&expires_in=28800"
                + "&refresh_token=\(TrafficScript.refresh(number))"
                + "&refresh_token_expires_in=15897600&scope=&token_type=bearer",
            as: "application/x-www-form-urlencoded; charset=utf-8"
        )
    }

    private static func answerAsText(
        _ method: String,
        _ target: String,
        form: String? = nil,
        _ number: Int,
        in script: inout TrafficScript
    ) {
        let pair: JSONValue = [
            "access_token": .string(TrafficScript.access(number)), "expires_in": 7_200,
            "refresh_token": .string(TrafficScript.refresh(number > 1 ? 1 : number)),
            "openid": "oLVPpj",
        ]
        script.ask(method, target, form: form, answer: pair.serialized, as: "text/plain")
    }

    private static func scheme(_ number: Int) -> [WireHeader] {
        [WireHeader("Authorization", "OAuth \(TrafficScript.access(number))")]
    }

    private static func logInBySubjectToken(_ number: Int, in script: inout TrafficScript) {
        script.ask(
            "POST",
            "/v3/auth/tokens",
            json: ["auth": ["identity": ["password": ["user": "u", "password": "correct"]]]],
            201,
            ["token": ["methods": ["password"], "expires_at": script.epoch(in: 3_600)]],
            fields: [WireHeader("X-Subject-Token", TrafficScript.access(number))]
        )
    }

    private static func sendSubjectToken(
        _ number: Int,
        to path: String,
        _ status: Int,
        in script: inout TrafficScript
    ) {
        let headers = [WireHeader("X-Auth-Token", TrafficScript.access(number))]
        script.ask("PUT", path, headers: headers, status, nil)
    }

    private static func snowflake(_ token: String) -> [WireHeader] {
        [WireHeader("Authorization", "Snowflake Token=\"\(token)\"")]
    }

    private static func masterTokens(sent: [Int], in script: inout TrafficScript) {
        func pair(_ number: Int) -> JSONValue {
            [
                "masterToken": .string(TrafficScript.refresh(number)),
                "masterValidityInSeconds": 14_400,
                "sessionToken": .string(TrafficScript.access(number)), "validityInSeconds": 3_600,
            ]
        }
        script.ask(
            "POST",
            "/session/v1/login-request",
            json: ["data": ["LOGIN_NAME": "u", "PASSWORD": "correct"]],
            200,
            ["data": pair(1), "success": true]
        )
        for (number, master) in zip(2..., sent) {
            script.wait(3_600)
            script.ask(
                "POST",
                "/queries",
                headers: snowflake(TrafficScript.access(number - 1)),
                200,
                ["code": "390112", "message": "Session token has expired", "success": false]
            )
            script.ask(
                "POST",
                "/session/token-request",
                headers: snowflake(TrafficScript.refresh(master)),
                json: ["oldSessionToken": .string(TrafficScript.access(number - 1))],
                200,
                ["data": pair(number), "success": true]
            )
            script.ask(
                "POST",
                "/queries",
                headers: snowflake(TrafficScript.access(number)),
                200,
                ["success": true]
            )
        }
    }

    private static func neverEnding(in script: inout TrafficScript) {
        script.ask(
            "POST",
            "/login",
            json: ["email": "a@example.com", "password": "correct"],
            200,
            [
                "access_token": .string(TrafficScript.access(1)),
                "refresh_token": .string(TrafficScript.refresh(1)), "expires_at": 253_402_300_799,
            ]
        )
        script.call(1)
    }

    private static func quotedToken(_ number: Int) -> String {
        let start = 1_763_733_600 + Double(number - 1) * 310
        let claims: JSONValue = ["sub": "ada", "iat": .number(start), "exp": .number(start + 300)]
        return "access_token=\"Bearer \(TrafficScript.webToken(claims))\""
    }

    private static func quotedCookie(
        for numbers: ClosedRange<Int>,
        in script: inout TrafficScript
    ) {
        for number in numbers {
            let cookie = "\(quotedToken(number)); HttpOnly; Secure; SameSite=Lax; Path=/"
            script.ask(
                "POST",
                "/login",
                form: "username=a&password=correct",
                fields: [WireHeader("Set-Cookie", cookie)]
            )
            sendQuotedCookie(number, 200, in: &script)
        }
    }

    private static func sendQuotedCookie(
        _ number: Int,
        _ status: Int,
        in script: inout TrafficScript
    ) {
        script.ask("GET", "/me", headers: [WireHeader("Cookie", quotedToken(number))], status)
    }
}
