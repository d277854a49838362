import Basics
import Model
import Observer
import Profiles

/// Backends that say in words that they refuse a token.
extension RuleCase {
    static let wordedRefusals: [RuleCase] =
        saidRefusals.map { status, json in
            // The words say it, where the status does not.
            RuleCase("loop-401", "dead-token", .risk, .likely) { script in
                script.logIn(life: 1e6, refresh: false)
                script.call(1)
                return goOn(status, json, count: 5, in: &script)
            } twin: { script in
                script.logIn(life: 1e6, refresh: false)
                script.call(1)
                _ = goOn(status, json, count: 4, in: &script)
                script.logIn(2, life: 1e6, refresh: false)
                script.call(2)
            }
        }
        + otherWords.map { status, json in
            // What is said of another thing refuses no token.
            RuleCase("loop-401", "dead-token", .risk, .likely) { script in
                script.logIn(life: 1e6, refresh: false)
                script.call(1)
                return goOn(401, json, count: 5, in: &script)
            } twin: { script in
                script.logIn(life: 1e6, refresh: false)
                script.call(1)
                _ = goOn(status, json, count: 8, in: &script)
            }
        }
        + [
            ["ok": false, "error": "invalid_refresh_token"], ["error": "invalid_code"],
            ["code": 40_002, "message": "Refresh token is invalid or expired."],
        ]
        .map { (json: JSONValue) in
            RuleCase("dead-refresh-loop", nil, .bug, .likely) { script in
                script.logIn()
                script.wait(290)
                let numbers = (1...5).map { _ in refuse(json, in: &script) }
                return [numbers[1]] + numbers[2...]
            } twin: { script in
                script.logIn()
                script.wait(290)
                _ = refuse(json, in: &script)
                script.logIn(2)
                script.call(2)
            }
        } + otherAnswers

    private static let saidRefusals: [(Int, JSONValue)] = [
        (403, ["code": 403, "error_code": "session_not_found", "msg": "Session does not exist"]),
        (403, ["code": "jwt_auth_invalid_token", "message": "Signature verification failed"]),
        (403, ["errors": ["permission denied, invalid token"]]),
        (400, ["code": 209, "error": "Invalid session token"]),
        (400, ["code": 99_991_663, "msg": "Invalid access token for authorization."]),
        (200, ["code": 99_991_663, "msg": "Invalid access token for authorization."]),
        (200, ["code": 1_010, "msg": "token invalid", "success": false]),
        (200, ["error": ["code": 100, "message": "Odoo Session Expired"], "id": 1]),
        (200, ["error": 401, "msg": "invalid token"]),
        (200, ["errors": [["message": "Not authenticated"]], "data": .null]),
        (200, ["error_code": -20_651, "msg": "Token expired"]),
        (200, ["error_code": 111, "error_msg": "Access token expired"]),
        (200, ["data": ["error_code": 2_190_008, "description": "access_token expired"]]),
        (200, ["error_response": ["code": 27, "sub_msg": "SessionKey invalid"]]),
        (200, ["header": ["resultCode": -4_012, "resultMessage": "expired token"]]),
        (200, ["meta": ["code": 401, "error_message": "The access_token provided is invalid."]]),
        (200, ["resultCode": "AUTH_0003", "resultMessage": "Access token expired"]),
        (200, ["status": "error", "message": "Session expired"]),
        (200, ["status": ["code": "AUTH_EXPIRED", "description": "Authentication token expired"]]),
        (400, ["statusCode": "403", "message": "\"exp\" claim timestamp check failed"]),
        (403, ["errors": [["code": "Unauthorized", "details": "The access token has expired."]]]),
        (422, ["msg": "Signature has expired"]),
        (500, ["faultcode": 5, "message": "Session expired. Try to relogin."]),
        (200, ["code": 10_021, "msg": "登录已过期，请重新登录"]),
        (200, ["code": 401, "success": false, "message": "Token无效"]),
        (400, ["message": "Sitzung abgelaufen, bitte neu anmelden"]),
        (403, ["message": "セッションの有効期限が切れました"]),
        (403, ["message": "토큰이 만료되었습니다."]),
        (403, ["error": "La session a expiré"]),
        (403, ["error": "Срок действия токена истек"]),
        (422, ["error": "La sesión ha caducado"]),
    ]

    private static let otherWords: [(Int, JSONValue)] = [
        (403, ["message": "Your token does not have permission for this"]),
        (403, ["code": "E17", "message": "The checkout session has expired"]),
        (400, ["error": "validation", "message": "push token is invalid"]),
        (400, ["code": "INVALID_TOKEN_FORMAT", "message": "Password reset token not found"]),
        (403, ["error": "CSRF token invalid"]),
        (200, ["error_code": -20_104, "msg": "Parameter does not exist"]),
        (200, ["status": "error", "message": "Out of stock"]),
        (422, ["errors": [["title": "The verification code is invalid"]]]),
        (422, ["errors": [["title": "El código de verificación ha caducado"]]]),
        (200, ["code": 30_001, "msg": "验证码已过期，token无效"]),
        (200, ["code": 30_002, "msg": "库存不足"]),
        (500, ["message": "Connection to the database lost"]),
    ]

    /// Sends a request again and again that is answered in the same way.
    private static func goOn(
        _ status: Int,
        _ json: JSONValue,
        count: Int,
        in script: inout TrafficScript
    ) -> [Int] {
        (1...count).map { _ in
            script.wait(30)
            let request = script.send("GET", "/items", bearer: TrafficScript.access(1))
            script.finish(request, status, json)
            return request
        }
    }

    private static func refuse(_ json: JSONValue, in script: inout TrafficScript) -> Int {
        script.wait(30)
        let request = script.askRefresh(1)
        script.finish(request, 200, json)
        return request
    }

    private static let otherAnswers: [RuleCase] = [
        RuleCase("loop-401", "dead-token", .risk, .likely) { script in
            // That nobody is known is no acceptance of the token.
            script.logIn(life: 1e6, refresh: false)
            script.wait(290)
            return (1...5).map { _ in
                script.wait(30)
                who(.null, in: &script)
                return script.call(1, "/items", 401)
            }
        } twin: { script in
            script.logIn(life: 1e6, refresh: false)
            script.wait(290)
            for path in ["/items", "/cart", "/orders", "/offers", "/news", "/search"] {
                script.wait(30)
                who(["user": "ada"], in: &script)
                script.call(1, path, 401)
            }
        },
        RuleCase("no-refresh", nil, .bug, .likely) { script in
            // A socket's own error, in words.
            script.logIn(life: 1e6)
            script.wait(290)
            return (1...3).map { _ in dial("token is expired", in: &script) }
        } twin: { script in
            script.logIn(life: 1e6)
            script.wait(290)
            for _ in 1...3 { _ = dial("room is full", in: &script) }
        },
        RuleCase("dead-refresh-loop", nil, .bug, .likely) { script in
            // A renewal that is redirected to a page for signing in.
            script.logIn()
            script.wait(290)
            let numbers = (1...5).map { _ in redirect(to: "/login", in: &script) }
            return [numbers[1]] + numbers[2...]
        } twin: { script in
            script.logIn()
            script.wait(290)
            for _ in 1...2 { _ = redirect(to: "/maintenance", in: &script) }
            script.renew(1)
        },
        RuleCase("expired-sent", nil, .risk, .likely) { script in
            // A backend that answers 500 to a token that has ended.
            script.logIn()
            script.wait(310)
            return [fail("Please sign in again to continue.", in: &script)]
        } twin: { script in
            script.logIn()
            script.wait(310)
            _ = fail("Connection to the database lost", in: &script)
            script.renew(1)
        },
    ]

    private static func redirect(to location: String, in script: inout TrafficScript) -> Int {
        script.wait(30)
        let request = script.askRefresh(1)
        script.finish(request, 302, headers: [WireHeader("Location", location)])
        return request
    }

    private static func dial(_ words: String, in script: inout TrafficScript) -> Int {
        script.wait(30)
        let socket = script.dial("/feed?token=\(TrafficScript.access(1))")
        script.open(socket)
        script.push(socket, ["type": "error", "code": 401, "data": .string(words)])
        script.close(socket, by: .backend, code: 1000)
        return socket
    }

    private static func fail(_ words: String, in script: inout TrafficScript) -> Int {
        let request = script.send("GET", "/items", bearer: TrafficScript.access(1))
        script.finish(
            request,
            500,
            ["ErrorCode": 99, "Message": .string(words), "message": .string(words)]
        )
        // It is not renewed: the app takes it for an outage.
        script.wait(30)
        return request
    }

    private static func who(_ json: JSONValue, in script: inout TrafficScript) {
        let request = script.send("GET", "/get-session", bearer: TrafficScript.access(1))
        script.finish(request, 200, json)
    }
}
