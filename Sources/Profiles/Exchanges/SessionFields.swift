package import Basics

/// What a request of another program is sent with so that it belongs to a session.
///
/// It has the access token, so it is neither logged nor shown.
package struct SessionFields: Sendable, Hashable {
    package let token: AccessToken
    /// The fields that replace those of the same name: the token's, those with values that the session
    /// has captured, and the proof.
    package var replacing: [WireHeader]
    /// The fixed fields of the profile, for requests without a field of the same name.
    package var defaults: [WireHeader]
    /// The query parameter with the token, encoded, if the feed of the profile has the token there.
    package let query: String?
    /// Why the request must not be sent, or `nil` if it may be.
    package let problem: RequestProblem?
    /// The proof that belongs into `replacing` once it is made; `nil` for none.
    package let proof: ProofOfPossession?

    /// The cookies among `replacing`, with their names.
    package var cookies: [(name: String, pair: String)] {
        replacing.filter(\.isCookie).flatMap { Cookies.pairs(in: $0.value) }
            .map { ($0.name, "\($0.name)=\($0.value)") }
    }
}

extension SessionFields: CustomStringConvertible, CustomReflectable {
    package var description: String { "fields of a session" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Dialect {
    /// Whether a request of another program can be sent with the access token: not if the profile has
    /// it in the body.
    package var carriesTokenOutsideBody: Bool { protected?.place.encoding == nil }

    /// Returns what a request of another program is sent with.
    ///
    /// The token is where the profile's protected request has it, or where its feed has it if this is
    /// the request for the feed.
    ///
    /// - Parameters:
    ///   - token: The access token.
    ///   - path: The path of the request below the base URL, without its query.
    ///   - captured: The captured values.
    ///   - isRetry: Whether the request was refused with an older token.
    /// - Returns: The fields; without a token in them if `carriesTokenOutsideBody` is false.
    package func sessionFields(
        _ token: AccessToken,
        path: String,
        captured: CapturedValues = .none,
        isRetry: Bool = false
    ) -> SessionFields {
        var place = protected?.place ?? .bearer
        if let feed, feed.origin == nil, feed.path == path, case .request(let own) = feed.place {
            place = own
        }
        let headers = protected?.headers(isRetry: isRetry) ?? []
        let isCaptured = { (header: WireHeader) in
            !PlaceholderText(header.value).names.isEmpty
        }
        let used = headers.flatMap { PlaceholderText($0.value).names }
        let request = RequestShape(
            method: "GET",
            path: "/",
            headers: headers,
            captures: captures.filter { used.contains($0.name) },
            proof: bindsTokens ? .withToken : nil
        )
        .filled(captured: captured, tokens: [(place, token.secret)])
        let own = Set(
            headers.filter(isCaptured).map(\.name.asciiLowercased)
                + [place.headerName?.asciiLowercased, "cookie"].compactMap(\.self)
        )
        var query: String?
        if case .query(let name) = place {
            query = FormEncoding.encode([(name, token.secret.reveal())])
        }
        return SessionFields(
            token: token,
            replacing: request.headers.filter { own.contains($0.name.asciiLowercased) },
            defaults: request.headers.filter { header in
                let name = header.name.asciiLowercased
                return !own.contains(name) && !name.begins(with: "content-")
            },
            query: query,
            problem: request.problem,
            proof: bindsTokens ? ProofOfPossession(access: token) : nil
        )
    }
}
