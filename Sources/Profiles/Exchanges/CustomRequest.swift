package import Basics

/// A custom request of the user, to be sent with the session's access token.
package struct CustomRequest: Sendable, Hashable {
    /// The largest body, in bytes.
    package static let bodyLimit = 1024 * 1024
    private static let targetLimit = 4096

    /// The method in upper case.
    package let method: String
    /// The path and optional query, beginning with a slash.
    package let target: String
    /// The body, or empty if there is none; it may contain secrets and is therefore neither logged
    /// nor stored.
    package let body: Secret

    /// - Throws: `CustomRequestProblem`, which names the invalid part.
    package init(
        method: String,
        target: String,
        body: Secret = Secret("")
    ) throws(CustomRequestProblem) {
        self.method = try Self.checked(method: method)
        self.target = try Self.checked(target: target)
        guard body.byteCount <= Self.bodyLimit else {
            throw CustomRequestProblem(.body, "the body is larger than 1 MiB")
        }
        self.body = body
    }

    /// The target without its query, which may contain secrets.
    package var path: String { String(target.part(before: "?")) }

    private static func checked(method: String) throws(CustomRequestProblem) -> String {
        let name = method.asciiUppercased
        guard RequestSyntax.isToken(name), name.utf8.count <= 32 else {
            throw CustomRequestProblem(.method, "expected an HTTP method such as GET or POST")
        }
        guard name != "CONNECT", name != "TRACE" else {
            throw CustomRequestProblem(.method, "\(name) cannot be sent with a token")
        }
        return name
    }

    private static func checked(target: String) throws(CustomRequestProblem) -> String {
        func fail(_ message: String) -> CustomRequestProblem {
            CustomRequestProblem(.path, message)
        }
        let bytes = target.utf8
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw fail("the path contains a control character")
        }
        guard !target.begins(with: "//"),
            target.range(ofBytes: "://").map({ range in
                target[..<range.lowerBound].utf8.allSatisfy {
                    $0.isLetter || "+-.".utf8.contains($0)
                }
            }) != true
        else {
            throw fail("the path must stay on the profile's backend: leave out the host")
        }
        guard target.begins(with: "/") else { throw fail("the path must begin with a slash") }
        guard bytes.count <= targetLimit else { throw fail("the path is longer than 4096 bytes") }
        guard !bytes.contains(UInt8(ascii: "#")) else {
            throw fail("the path has a fragment (#), which is never sent")
        }
        guard RequestSyntax.isTarget(target) else {
            throw fail("the path must be percent-encoded: %20 for a space")
        }
        return target
    }
}

/// The reason why a request cannot be sent.
package struct CustomRequestProblem: Error, Sendable, Hashable {
    package enum Part: Sendable, Hashable {
        case method
        case path
        case body
    }

    package let part: Part
    /// A message for the user, which quotes nothing of the body.
    package let message: String

    init(_ part: Part, _ message: String) {
        self.part = part
        self.message = message
    }
}

extension Dialect {
    /// The content type of a custom request's body.
    package var customBodyType: String {
        let stated = protected?.request.headers.first { $0.name.asciiLowercased == "content-type" }
        if let stated { return stated.value }
        return protected?.place.encoding == .form
            ? "application/x-www-form-urlencoded" : "application/json"
    }

    /// Returns a custom request with the token and the headers of the protected request.
    ///
    /// If the dialect has no protected request, the token is sent as a bearer token (RFC 6750).
    ///
    /// - Throws: If the dialect sends the token in the body, and this body has no place for it.
    package func request(
        _ custom: CustomRequest,
        token: AccessToken,
        captured: CapturedValues = .none,
        isRetry: Bool = false
    ) throws(CustomRequestProblem) -> WireRequest {
        let place = protected?.place ?? .bearer
        let headers = protected?.headers(isRetry: isRetry) ?? []
        let sent = headers.flatMap { PlaceholderText($0.value).names }
        let target = custom.target.parts(at: "?", limit: 2, keepsEmpty: true).map(String.init)
        let shape = RequestShape(
            method: custom.method,
            origin: protected?.request.origin,
            path: target[0],
            query: FixedQuery(target.count > 1 ? target[1] : ""),
            headers: headers,
            captures: captures.filter { sent.contains($0.name) },
            proof: bindsTokens ? .withToken : nil
        )
        let isInBody = place.encoding != nil
        var request = shape.filled(
            captured: captured,
            tokens: isInBody ? [] : [(place, token.secret)]
        )
        if bindsTokens { request.proof = ProofOfPossession(access: token) }
        request.body = Array(try Self.body(custom.body.reveal(), with: token, in: place).utf8)
        if !request.body.isEmpty, request.header("Content-Type") == nil {
            request.headers.append(WireHeader("Content-Type", customBodyType))
        }
        return request
    }

    private static func body(
        _ text: String,
        with token: AccessToken,
        in place: TokenLocation
    ) throws(CustomRequestProblem) -> String {
        switch place {
        case .bearer, .scheme, .header, .cookie, .query: return text
        case .form(let name):
            let pair = FormEncoding.encode([(name, token.secret.reveal())])
            return text.isEmpty ? pair : "\(text)&\(pair)"
        case .json(let path):
            let body = JSONValue(parsing: Array((text.isEmpty ? "{}" : text).utf8))
            guard case .object? = body else {
                throw CustomRequestProblem(
                    .body,
                    "the token is sent in the body, which must therefore be a JSON object"
                )
            }
            return body?.setting(.string(token.secret.reveal()), at: path).serialized ?? text
        }
    }
}
