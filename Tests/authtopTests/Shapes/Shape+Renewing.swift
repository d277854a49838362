/// The shapes whose sessions are renewed before a request fails.
extension Shape {
    static let renewing = places + times

    /// By where the tokens go.
    private static let places = [
        Shape(
            name: "the refresh token as bearer",
            profile: profile(
                answer: plainAnswer + "\naccess_expires = \"seconds:ttl\"",
                refresh: #"token_in = "bearer""#
            ),
            issued: { flat($0, #""ttl": \#($0.lifetime)"#) },
            refreshToken: bearer
        ),
        Shape(
            name: "JSON",
            profile: profile(answer: plainAnswer + "\naccess_expires = \"seconds:ttl\""),
            issued: { flat($0, #""ttl": \#($0.lifetime)"#) }
        ),
        Shape(
            name: "a form with Basic",
            profile: """
                extends = "oauth2"
                login.request = "POST /login"
                refresh.request = "POST /refresh"
                protected.request = "GET /me"
                """,
            issued: { pair in
                ShapeAnswer(
                    200,
                    """
                    {"access_token": "\(pair.access)", "refresh_token": "\(pair.refresh)",
                    "token_type": "bearer", "expires_in": \(pair.lifetime)}
                    """
                )
            },
            refreshToken: { request in
                // Base64 of client:s3cr3t.
                let basic = request.values(of: "authorization") == ["Basic Y2xpZW50OnMzY3IzdA=="]
                return basic ? field("refresh_token", of: request) : nil
            },
            admits: { field("password", of: $0) == "password" }
        ),
        Shape(
            name: "one path for both, told apart by its query",
            profile: """
                [login]
                request = "POST /auth/v1/token?grant_type=password"
                headers = { apikey = "publishable" }
                credentials = ["email", "password"]
                fields = { email = "{email}", password = "{password}" }
                [login.response]
                access = "access_token"
                refresh = "refresh_token"
                access_expires = "seconds:expires_in"
                subject = "user.id"
                [refresh]
                request = "POST /auth/v1/token?grant_type=refresh_token"
                headers = { apikey = "publishable" }
                token_in = "json:refresh_token"
                [refresh.response]
                access = "access_token"
                refresh = "refresh_token"
                access_expires = "seconds:expires_in"
                [[refresh.terminal]]
                status = 401
                [protected]
                request = "GET /auth/v1/user"
                headers = { apikey = "publishable" }
                """,
            issued: { pair in
                ShapeAnswer(
                    200,
                    """
                    {"access_token": "\(pair.access)", "refresh_token": "\(pair.refresh)",
                    "token_type": "bearer", "expires_in": \(pair.lifetime), "user": {"id": "u1"}}
                    """
                )
            },
            refreshToken: { $0["refresh_token"]?.text },
            route: { request in
                guard request.values(of: "apikey") == ["publishable"] else { return "" }
                return switch "\(request.method) \(request.target)" {
                case "POST /auth/v1/token?grant_type=password": "POST /login"
                case "POST /auth/v1/token?grant_type=refresh_token": "POST /refresh"
                case "GET /auth/v1/user": "GET /me"
                default: ""
                }
            }
        ),
        Shape(
            name: "cookies, and no body at all",
            profile: profile(
                answer: """
                    access = "cookie:at"
                    refresh = "cookie:rt"
                    access_expires = "seconds:header:X-Lifetime"
                    """,
                refresh: #"token_in = "cookie:rt""#,
                protected: #"token_in = "cookie:at""#
            ),
            issued: { pair in
                ShapeAnswer(
                    204,
                    "",
                    [
                        "Set-Cookie: at=\(pair.access); Path=/; HttpOnly",
                        "Set-Cookie: rt=\(pair.refresh); Path=/refresh; HttpOnly; SameSite=Strict",
                        "X-Lifetime: \(pair.lifetime)",
                    ]
                )
            },
            refreshToken: cookie("rt"),
            accessToken: cookie("at")
        ),
        Shape(
            name: "nested key paths",
            profile: profile(
                answer: """
                    success = "ok"
                    access = ["result.session.access.value", "result.token"]
                    refresh = "result.session.refresh.value"
                    access_expires = "seconds:result.session.access.ttl"
                    """,
                refresh: #"token_in = "json:session.refresh.value""#
            ),
            issued: { pair in
                ShapeAnswer(
                    200,
                    """
                    {"ok": true, "result": {"session": {
                      "access": {"value": "\(pair.access)", "ttl": \(pair.lifetime)},
                      "refresh": {"value": "\(pair.refresh)"}}}}
                    """
                )
            },
            refreshToken: { $0["session.refresh.value"]?.text }
        ),
        Shape(
            name: "parameters of a query",
            profile: profile(
                answer: plainAnswer + "\naccess_expires = \"seconds:ttl\"",
                refresh: #"token_in = "query:refresh_token""#,
                protected: #"token_in = "query:token""#
            ),
            issued: { flat($0, #""ttl": \#($0.lifetime)"#) },
            refreshToken: { parameter("refresh_token", of: $0) },
            accessToken: { parameter("token", of: $0) }
        ),
        Shape(
            name: "lists",
            profile: profile(
                answer: """
                    access = "tokens.1.value"
                    refresh = "tokens.0.value"
                    access_expires = "seconds:tokens.1.ttl"
                    """,
                refresh: """
                    token_in = "json:credentials.0.value"
                    fields = { credentials = [{ kind = "refresh" }] }
                    """
            ),
            issued: { pair in
                ShapeAnswer(
                    200,
                    """
                    {"tokens": [{"kind": "refresh", "value": "\(pair.refresh)"},
                    {"kind": "access", "value": "\(pair.access)", "ttl": \(pair.lifetime)}]}
                    """
                )
            },
            refreshToken: { request in
                guard case .list(let sent)? = request["credentials"],
                    sent.first?["kind"]?.text == "refresh"
                else { return nil }
                return sent.first?["value"]?.text
            }
        ),
    ]

    /// By how they say when a token ends.
    private static let times = [
        Shape(
            name: "numbers as strings",
            profile: profile(answer: plainAnswer + "\naccess_expires = \"seconds:ttl\""),
            issued: { flat($0, #""ttl": "\#($0.lifetime)""#) }
        ),
        Shape(
            name: "unix milliseconds",
            profile: profile(
                answer: plainAnswer + "\naccess_expires = \"unix_milliseconds:end\""
            ),
            issued: { flat($0, #""end": \#($0.milliseconds)"#) }
        ),
        Shape(
            name: "ISO 8601 with a zone",
            profile: profile(answer: plainAnswer + "\naccess_expires = \"iso8601:end\""),
            issued: { flat($0, #""end": "\#($0.local)+00:00""#) }
        ),
        Shape(
            name: "ISO 8601 without a zone",
            profile: profile(answer: plainAnswer + "\naccess_expires = \"iso8601:end\""),
            issued: { flat($0, #""end": "\#($0.local)""#) }
        ),
        Shape(
            name: "an HTTP-date",
            profile: profile(answer: plainAnswer + "\naccess_expires = \"http_date:end\""),
            issued: { flat($0, #""end": "\#($0.httpDate)""#) }
        ),
    ]
}
