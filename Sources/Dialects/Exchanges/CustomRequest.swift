package import Tokens

/// A request that a person writes, to be sent with the session's access token.
package struct CustomRequest: Sendable, Hashable {
    /// The largest body, in bytes.
    package static let bodyLimit = 1024 * 1024
    private static let targetLimit = 4096

    /// In capital letters.
    package let method: String
    /// Begins with a slash, and may have a query.
    package let target: String
    /// Empty if there is none; it may hold anything, so that no log and no file has it.
    package let body: Secret

    /// - Throws: What is wrong, in which part of it.
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

    /// The target without its query, which may hold what no file should.
    package var path: String { String(target.prefix { $0 != "?" }) }

    private static func checked(method: String) throws(CustomRequestProblem) -> String {
        let name = method.uppercased()
        guard RequestSyntax.isToken(name), name.utf8.count <= 32 else {
            throw CustomRequestProblem(.method, "the method is no HTTP method such as GET or POST")
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
            throw fail("the path holds a control character")
        }
        guard !target.hasPrefix("//"),
            target.firstRange(of: "://").map({ range in
                target[..<range.lowerBound].allSatisfy { $0.isLetter || "+-.".contains($0) }
            }) != true
        else {
            throw fail("the path must stay on the profile's backend: leave out the host")
        }
        guard target.hasPrefix("/") else { throw fail("the path must begin with a slash") }
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

/// Why a request cannot be sent.
package struct CustomRequestProblem: Error, Sendable, Hashable {
    package enum Part: Sendable, Hashable {
        case method
        case path
        case body
    }

    package let part: Part
    /// For a person; it quotes nothing of the body.
    package let message: String

    init(_ part: Part, _ message: String) {
        self.part = part
        self.message = message
    }
}

extension Dialect {
    /// The type that the body of a custom request has.
    package var customBodyType: String {
        let stated = protected?.request.headers.first { $0.name.lowercased() == "content-type" }
        if let stated { return stated.value }
        return protected?.place.encoding == .form
            ? "application/x-www-form-urlencoded" : "application/json"
    }

    /// A person's own request, with the token and the headers as the protected request has them.
    ///
    /// Where the dialect has no protected request, the token is a bearer token (RFC 6750).
    ///
    /// - Throws: If the token has to stand in a body, and this one has no place for it.
    package func request(
        _ custom: CustomRequest,
        token: AccessToken,
        isRetry: Bool = false
    ) throws(CustomRequestProblem) -> WireRequest {
        let place = protected?.place ?? .bearer
        let shape = RequestShape(
            method: custom.method,
            path: custom.target,
            headers: protected?.request.headers ?? []
        )
        let isInBody = place.encoding != nil
        var request = shape.filled(tokens: isInBody ? [] : [(place, token.secret)])
        request.body = Array(try Self.body(custom.body.reveal(), with: token, in: place).utf8)
        if !request.body.isEmpty, request.header("Content-Type") == nil {
            request.headers.append(WireHeader("Content-Type", customBodyType))
        }
        if isRetry { request.headers += protected?.retryHeaders ?? [] }
        return request
    }

    private static func body(
        _ text: String,
        with token: AccessToken,
        in place: TokenLocation
    ) throws(CustomRequestProblem) -> String {
        switch place {
        case .bearer, .header, .cookie, .query: return text
        case .form(let name):
            let pair = FormEncoding.encode([(name, token.secret.reveal())])
            return text.isEmpty ? pair : "\(text)&\(pair)"
        case .json(let path):
            let body = JSONValue(parsing: Array((text.isEmpty ? "{}" : text).utf8))
            guard case .object? = body else {
                throw CustomRequestProblem(
                    .body,
                    "the token goes into the body, which has to be a JSON object for that"
                )
            }
            return body?.setting(.string(token.secret.reveal()), at: path).serialized ?? text
        }
    }
}
