import Basics
import Model
import Observer
import Profiles

/// Refusals of access tokens in all their forms, after which no renewal follows.
extension TrafficKind {
    static let refusals: [TrafficKind] =
        [
            TrafficKind(
                "an API refuses each new token with 200 and errors, and the app renews each time",
                says: [.bug("loop-401", "is refused with each of 6 access tokens in a row")],
                pairs: [2]
            ) { script in
                script.logIn(life: 3_600)
                for number in 1...6 {
                    script.wait(0.4)
                    queryWithoutSuccess(number, in: &script)
                    script.wait(0.4)
                    script.renew(number, life: 3_600)
                }
            } twin: { script in
                // One field is not for this user.
                script.logIn(life: 3_600)
                script.call(1)
                queryWithoutSuccess(1, in: &script)
                script.renew(1, life: 3_600)
                queryWithoutSuccess(2, in: &script)
                script.call(2)
            },
            TrafficKind(
                "a token that has ended is refused with 403, and never renewed",
                says: [
                    .bug("loop-401", "6 requests in 10 s with one access token"),
                    .risk("expired-sent", "presents an access token that ended"),
                ],
                pairs: [1, 1]
            ) { script in
                script.logIn(life: 600, refresh: false)
                script.call(1)
                script.wait(700)
                for _ in 1...6 {
                    refuse(1, .forbidden, in: &script)
                    script.wait(1.98)
                }
            } twin: { script in
                script.logIn(life: 600, refresh: false)
                script.call(1)
                script.wait(610)
                refuse(1, .forbidden, in: &script)
                script.logIn(2, life: 600, refresh: false)
                script.call(2)
            },
            TrafficKind(
                "the refusal of one right is no refusal of the token",
                says: [.likelyBug("no-refresh", "and the app does not renew it")],
                pairs: [1]
            ) { script in
                script.logIn(life: 36_000)
                script.call(1)
                script.wait(1_000)
                for _ in 1...8 {
                    script.call(1, "/instances", 401)
                    script.wait(20)
                }
            } twin: { script in
                script.logIn(life: 36_000)
                script.call(1)
                script.wait(1_000)
                for _ in 1...8 {
                    script.ask(
                        "GET",
                        "/admin",
                        bearer: TrafficScript.access(1),
                        403,
                        ["error": "insufficient_scope"]
                    )
                    script.wait(20)
                    script.call(1)
                }
            },
        ]
        + Refusal.allCases.flatMap { refusal in
            [4.0, 20, 600].map { pace in
                TrafficKind(
                    "a token is refused with \(refusal.words) each \(Int(pace)) s, though a live "
                        + "refresh token is at hand",
                    says: [.likelyBug("no-refresh", "8 requests in")],
                    pairs: [2]
                ) { script in
                    script.logIn(life: 1e6)
                    script.call(1)
                    script.wait(900)
                    for _ in 1...8 {
                        refuse(1, refusal, in: &script)
                        script.wait(pace)
                    }
                } twin: { script in
                    // It ends, and that is what its refusal says.
                    script.logIn(life: 890)
                    script.call(1)
                    script.wait(900)
                    refuse(1, refusal, in: &script)
                    script.wait(1)
                    script.renew(1, life: 890)
                    script.call(2)
                    script.wait(pace)
                    script.call(2)
                }
            }
        }

    /// A form in which backends say that they do not take a token.
    enum Refusal: CaseIterable {
        case unauthorized
        case unauthorizedBarely
        case forbidden
        case badRequest
        case errors
        case notOK
        case envelope
        case message
        case invalidTokenStatus

        var words: String {
            switch self {
            case .unauthorized: "401 and a challenge"
            case .unauthorizedBarely: "a bare 401"
            case .forbidden: "403 and words"
            case .badRequest: "400 and a code"
            case .errors: "200 and errors of GraphQL"
            case .notOK: "200 and ok: false"
            case .envelope: "200 and an envelope with 401"
            case .message: "200 and an error object"
            case .invalidTokenStatus: "498"
            }
        }

        var answer: (status: Int, body: JSONValue?, fields: [WireHeader]) {
            switch self {
            case .unauthorized:
                let challenge = WireHeader("WWW-Authenticate", "Bearer error=\"invalid_token\"")
                return (401, ["message": "Authentication required"], [challenge])
            case .unauthorizedBarely: return (401, nil, [])
            case .forbidden:
                return (403, ["error": "TokenError", "message": "Your token has expired."], [])
            case .badRequest: return (400, ["error": "invalid_token"], [])
            case .errors:
                let error: JSONValue = [
                    "message": "Token has expired.", "extensions": ["code": "UNAUTHENTICATED"],
                ]
                return (200, ["errors": [error], "data": .null], [])
            case .notOK: return (200, ["ok": false, "error": "token_expired"], [])
            case .envelope:
                return (200, ["code": 401, "message": "token expired", "data": .null], [])
            case .message:
                let error: JSONValue = ["code": "TOKEN_EXPIRED", "message": "Session has expired"]
                return (200, ["success": false, "error": error], [])
            case .invalidTokenStatus: return (498, ["error": "Invalid token"], [])
            }
        }
    }

    private static func refuse(_ number: Int, _ refusal: Refusal, in script: inout TrafficScript) {
        let answer = refusal.answer
        script.ask(
            "GET",
            "/items",
            bearer: TrafficScript.access(number),
            answer.status,
            answer.body,
            fields: answer.fields
        )
    }

    private static func queryWithoutSuccess(_ number: Int, in script: inout TrafficScript) {
        script.ask(
            "POST",
            "/graphql",
            bearer: TrafficScript.access(number),
            json: ["operationName": "search", "query": "{x}"],
            200,
            [
                "errors": [
                    [
                        "message": "Unauthenticated.",
                        "extensions": ["category": "authentication"],
                    ]
                ]
            ]
        )
    }
}
