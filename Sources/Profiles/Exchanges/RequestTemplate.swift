import Basics

/// The method of a request, and where it is sent, without its query.
package struct RequestLine: Sendable, Hashable, Codable {
    package let method: String
    /// The path, after the origin if that is not the base URL.
    package let target: String
}

extension Dialect {
    /// The request of a refresh, or `nil` if the backend has none.
    package var refreshLine: RequestLine? {
        refresh.map { refresh in
            let request = refresh.request
            return RequestLine(
                method: request.method,
                target: (request.origin ?? "") + request.path
            )
        }
    }
}

/// The form of a protected request that carries the access token, without any secret.
package struct RequestTemplate: Sendable, Hashable, Codable {
    /// The placeholder of the access token: it is the same in a URL, a form and a header.
    package static let tokenPlaceholder = "AUTHTOP-ACCESS-TOKEN"
    /// The placeholder of any other secret.
    package static let otherSecret = "AUTHTOP-OTHER-SECRET"

    package let headers: [WireHeader]
    /// Empty unless it contains the token.
    package let body: String

    init(headers: [WireHeader], body: String = "") {
        self.headers = headers
        self.body = body
    }

    /// Returns the template of a dialect, with `‹hidden›` for the fixed secrets of its profile, or
    /// `nil` if its request cannot be written.
    package init?(of dialect: Dialect) {
        let token = AccessToken(Secret(Self.tokenPlaceholder))
        guard let custom = try? CustomRequest(method: "GET", target: "/"),
            let request = try? dialect.request(
                custom,
                token: token,
                captured: CapturedValues(
                    Dictionary(
                        dialect.captureReferences.map { ($0.name, Secret(Self.otherSecret)) },
                        uniquingKeysWith: { first, _ in first }
                    )
                )
            )
        else { return nil }
        let secrets = dialect.fixedSecrets.map { $0.value.reveal() }.filter { !$0.isEmpty }
        headers = request.headers.map { header in
            let isSecret = secrets.contains { header.value.containsBytes(of: $0) }
            return WireHeader(header.name, isSecret ? "‹hidden›" : header.value)
        }
        let text = String(decoding: request.body, as: UTF8.self)
        body = secrets.reduce(text) { $0.replacing(bytes: $1, with: "‹hidden›") }
    }
}
