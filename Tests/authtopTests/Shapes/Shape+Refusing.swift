/// The shapes whose expiry only a refusal tells.
extension Shape {
    static let refusing = [
        Shape(
            name: "opaque tokens with no expiry at all",
            profile: profile(answer: plainAnswer),
            issued: { flat($0, #""kind": "opaque""#) }
        ),
        Shape(
            name: "an expired access token answered by 403",
            profile: profile(answer: plainAnswer, protected: "expired = 403"),
            issued: { flat($0, #""kind": "opaque""#) },
            expired: ShapeAnswer(403, #"{"message": "Token expired"}"#)
        ),
        Shape(
            name: "an expired access token named in a challenge with 403",
            profile: profile(answer: plainAnswer),
            issued: { flat($0, #""kind": "opaque""#) },
            expired: ShapeAnswer(
                403,
                "",
                [#"WWW-Authenticate: Bearer realm="x", error="invalid_token""#]
            )
        ),
    ]

    static let emptyRefusals = Shape(
        name: "refusals with an empty body and no content type",
        profile: profile(answer: plainAnswer + "\naccess_expires = \"seconds:ttl\""),
        issued: { flat($0, #""ttl": \#($0.lifetime)"#) },
        refused: ShapeAnswer(401)
    )

    static let validating = Shape(
        name: "validation errors by 422 with a list",
        profile: profile(answer: plainAnswer),
        issued: { flat($0, #""kind": "opaque""#) },
        rejected: ShapeAnswer(
            422,
            """
            {"detail": [{"type": "value_error", "loc": ["body", "email"],
            "msg": "value is not a valid email address", "input": "x"}]}
            """
        )
    )

    static let withoutRefresh = Shape(
        name: "no refresh token at all",
        profile: """
            [login]
            request = "POST /login"
            credentials = ["email", "password"]
            fields = { email = "{email}", password = "{password}" }
            [login.response]
            access = "access"
            access_expires = "seconds:ttl"
            [protected]
            request = "GET /me"
            """,
        issued: { pair in
            ShapeAnswer(200, #"{"access": "\#(pair.access)", "ttl": \#(pair.lifetime)}"#)
        }
    )
}
