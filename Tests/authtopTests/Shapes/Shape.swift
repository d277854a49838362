import Foundation
import Testing

/// A kind of backend that users meet, and the profile that watches it.
struct Shape: Sendable, CustomTestStringConvertible {
    let name: String
    /// Without its base URL.
    let profile: String
    /// Seconds an access token lives.
    var lifetime = 9.0
    var issued: @Sendable (ShapePair) -> ShapeAnswer
    var refreshToken: @Sendable (HTTPMessage) -> String? = { $0["refresh"]?.text }
    var accessToken: @Sendable (HTTPMessage) -> String? = Shape.bearer
    /// The purpose of a request, as a method and one of the paths /login, /refresh and /me.
    var route: @Sendable (HTTPMessage) -> String = { "\($0.method) \($0.path)" }
    /// Whether the credentials are right.
    var admits: @Sendable (HTTPMessage) -> Bool = { $0["password"]?.text == "password" }
    var rejected = ShapeAnswer(401, #"{"message": "Wrong password"}"#)
    var refused = ShapeAnswer(401, #"{"message": "Not valid any more"}"#)
    var expired = ShapeAnswer(401, #"{"message": "Expired"}"#)

    var testDescription: String { name }

    static let variables = [
        "AUTHTOP_SHAPE_EMAIL": "user@example.com", "AUTHTOP_SHAPE_PASSWORD": "password",
        "AUTHTOP_SHAPE_USERNAME": "user", "AUTHTOP_SHAPE_CLIENT_ID": "client",
        "AUTHTOP_SHAPE_CLIENT_SECRET": "s3cr3t",
    ]

    static let bearer: @Sendable (HTTPMessage) -> String? = { request in
        request.values(of: "authorization").first.flatMap { value in
            value.hasPrefix("Bearer ") ? String(value.dropFirst(7)) : nil
        }
    }

    /// A cookie that a request holds.
    static func cookie(_ name: String) -> @Sendable (HTTPMessage) -> String? {
        { request in
            request.values(of: "cookie").flatMap { $0.split(separator: ";") }
                .map { $0.drop { $0 == " " } }
                .first { $0.hasPrefix("\(name)=") }
                .map { String($0.dropFirst(name.count + 1)) }
        }
    }

    /// A field of a form that a request holds; none of ours needs decoding.
    static func field(_ name: String, of request: HTTPMessage) -> String? {
        value(of: name, in: request.body)
    }

    /// A parameter of the query of a request, as `field` is one of a form.
    static func parameter(_ name: String, of request: HTTPMessage) -> String? {
        request.target.split(separator: "?").dropFirst().first.flatMap { value(of: name, in: $0) }
    }

    private static func value(of name: String, in pairs: some StringProtocol) -> String? {
        pairs.split(separator: "&").first { $0.hasPrefix("\(name)=") }
            .map { String($0.dropFirst(name.count + 1)) }
    }

    /// A profile whose login and refresh have answers of one form.
    static func profile(
        answer: String,
        login: String = "",
        refresh: String = #"token_in = "json:refresh""#,
        terminal: String = "status = 401",
        protected: String = ""
    ) -> String {
        """
        [login]
        request = "POST /login"
        credentials = ["email", "password"]
        fields = { email = "{email}", password = "{password}" }
        \(login)
        [login.response]
        \(answer)
        [refresh]
        request = "POST /refresh"
        \(refresh)
        [refresh.response]
        \(answer)
        [[refresh.terminal]]
        \(terminal)
        [protected]
        request = "GET /me"
        \(protected)
        """
    }

    /// An answer with both tokens and one more member.
    static func flat(_ pair: ShapePair, _ more: String) -> ShapeAnswer {
        ShapeAnswer(200, #"{"access": "\#(pair.access)", "refresh": "\#(pair.refresh)", \#(more)}"#)
    }

    static let plainAnswer = """
        access = "access"
        refresh = "refresh"
        """
}
