import Basics

/// The encoding of a request's body.
enum BodyEncoding: String, Sendable, Hashable, CaseIterable {
    case json
    case form
    case none
}

/// A request with placeholders for the credentials and the tokens.
struct RequestShape: Sendable, Hashable {
    var method: String
    /// The scheme, host and port that the request is sent to, or `nil` for those of the base URL.
    var origin: String?
    /// The path exactly as the backend expects it, without a query; it may have placeholders for
    /// captured values.
    var path: String
    var query = FixedQuery.none
    /// The fixed headers, which may have placeholders as the fields do; those of cookies share one
    /// header with the tokens.
    var headers: [WireHeader] = []
    var encoding = BodyEncoding.none
    /// The body's fixed members, whose strings may have placeholders for credentials and captured
    /// values.
    var fields: [String: JSONValue] = [:]
    /// The captures that it sends again.
    var captures: [Capture] = []
    /// Whether the client's credentials are sent in the `Authorization` header.
    var sendsBasic = false
    /// The proof of the client's key, or `nil` if there is none.
    var proof: RequestProof?

    /// The method and the target, as in a profile.
    var line: String { "\(method) \(origin ?? "")\(query.target(path))" }

    /// Returns the request with its placeholders replaced and each token in its place, of which one
    /// that is empty is left out.
    ///
    /// - Parameters:
    ///   - values: The credentials by name.
    ///   - captured: The captured values.
    ///   - tokens: The tokens.
    ///   - segments: The values of placeholders that are no secrets and stand in the path alone.
    /// - Returns: The request.
    func filled(
        values: [String: Secret] = [:],
        captured: CapturedValues = .none,
        tokens: [(place: TokenLocation, secret: Secret)] = [],
        segments: [String: String] = [:]
    ) -> WireRequest {
        let plain = captures.reduce(into: values) { plain, capture in
            plain[capture.name] = captured[capture.name].map {
                Secret(capture.plainText($0))
            }
        }
        var body = JSONValue.object(fields).filled(plain)
        var asked: [(name: String, value: String)] = []
        var cookies: [String] = []
        var request = WireRequest(method: method, origin: origin, target: path)
        let path = filledPath { segments[$0] ?? plain[$0]?.reveal() }
        for (place, secret) in tokens where !secret.isEmpty {
            let text = secret.reveal()
            switch place {
            case .bearer:
                let scheme = proof == .withToken ? ProofOfPossession.scheme : "Bearer"
                request.headers.append(WireHeader("Authorization", "\(scheme) \(text)"))
            case .scheme(let scheme):
                request.headers.append(WireHeader("Authorization", "\(scheme) \(text)"))
            case .header(let name): request.headers.append(WireHeader(name, text))
            case .cookie(let name): cookies.append(Cookies.pair(name, text))
            case .json(let path): body = body.setting(.string(text), at: path)
            case .form(let name): body = body.setting(.string(text), at: name)
            case .query(let name):
                asked.append((name, text))
                request.queryTokens.append(secret)
            }
        }
        if sendsBasic, let header = BasicAuthentication.header(values) {
            request.headers.append(header)
        }
        request.target = query.target(
            path,
            and: asked.isEmpty ? [] : [FormEncoding.encode(asked)]
        )
        let shown = filledPath { segments[$0] }
        if shown != path { request.shownPath = shown }
        cookies += headers.filter(\.isCookie).map { cookieText($0, plain, captured) }
        if !cookies.isEmpty {
            let text = cookies.joined(separator: "; ")
            request.headers.append(WireHeader(Cookies.header, text))
        }
        write(body, into: &request)
        request.headers += headers.filter { !$0.isCookie }.map { header in
            let text = PlaceholderText(header.value).filled { plain[$0]?.reveal() }
            return WireHeader(header.name, text)
        }
        request.problem = problem(of: request, captured)
        switch proof {
        case nil: break
        case .forToken: request.proof = ProofOfPossession(access: nil)
        case .withToken:
            request.proof = ProofOfPossession(access: tokens.last.map { AccessToken($0.secret) })
        }
        return request
    }

    private func cookieText(
        _ header: WireHeader,
        _ plain: [String: Secret],
        _ captured: CapturedValues
    ) -> String {
        PlaceholderText(header.value).filled { name in
            guard let capture = captures.first(where: { $0.name == name }) else {
                return plain[name].map { Cookies.encoded($0.reveal()) }
            }
            return captured[name].map(capture.cookieText)
        }
    }

    private func problem(
        of request: WireRequest,
        _ captured: CapturedValues
    ) -> RequestProblem? {
        if let missing = captures.first(where: { captured[$0.name] == nil }) {
            return .missingCapture(missing.reference)
        }
        if let unusable = captureInUnusableSegment(of: request) { return .unusablePath(unusable) }
        let isFilled = headers.contains { !PlaceholderText($0.value).names.isEmpty }
        let unusable = request.headers.first { header in
            !header.value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        }
        return isFilled ? unusable.map { .unusableHeader($0.name) } : nil
    }

    /// Returns the path with its placeholders replaced by what each stands for, encoded so that it stays
    /// within its segment; one without a value stays.
    private func filledPath(_ value: (String) -> String?) -> String {
        guard path.has("{") else { return path }
        return PlaceholderText(path).filled { name in
            value(name).map { PercentEncoding.encode($0) } ?? "{\(name)}"
        }
    }

    /// Returns the capture that makes a segment of the path empty, or one that refers to another place
    /// (RFC 3986 section 3.3), or `nil` if none does.
    private func captureInUnusableSegment(of request: WireRequest) -> CaptureReference? {
        guard request.shownPath != nil else { return nil }
        let parts = zip(
            path.parts(at: "/", keepsEmpty: true),
            request.path.parts(at: "/", keepsEmpty: true)
        )
        let names = parts.first { ["", ".", ".."].contains($1) && $0 != $1 }
            .map { PlaceholderText(String($0.0)).names }
        return names.flatMap { names in captures.first { names.contains($0.name) } }?.reference
    }

    private func write(_ body: JSONValue, into request: inout WireRequest) {
        switch encoding {
        case .none:
            return
        case .json:
            request.body = Array(body.serialized.utf8)
            addContentType("application/json", to: &request)
        case .form:
            request.body = Array(FormEncoding.encode(body.pairs).utf8)
            addContentType("application/x-www-form-urlencoded", to: &request)
        }
    }

    /// Adds a `Content-Type` header unless the dialect defines one.
    private func addContentType(_ type: String, to request: inout WireRequest) {
        guard !headers.contains(where: { $0.name.asciiLowercased == "content-type" }) else {
            return
        }
        request.headers.append(WireHeader("Content-Type", type))
    }
}

extension WireHeader {
    var isCookie: Bool { name.asciiLowercased == Cookies.header.asciiLowercased }
}

extension RequestShape {
    /// The probable secrets in a profile's file, which are fixed headers and fields, by name.
    var fixedSecrets: [(name: String, value: Secret)] {
        let inHeaders = headers.filter {
            HiddenValues.isSecret($0.value, at: ["headers", $0.name])
        }
        let inFields = JSONValue.object(fields).pairs
            .filter { HiddenValues.isSecret($0.value, at: ["fields", $0.name]) }
        return inHeaders.flatMap { header in
            // After a scheme such as `Basic`, since a server may repeat it without the scheme.
            let parts = header.value.parts(at: " ", limit: 2).map(String.init)
            return Set([header.value, parts.last ?? ""]).map { (header.name, Secret($0)) }
        } + inFields.map { ($0.name, Secret($0.value)) }
    }

    /// The names of the credentials in the request.
    var credentialNames: Set<String> {
        let placeholders = placeholders
        let basic = sendsBasic ? ClientAuthentication.basic.credentialNames : []
        let signs = placeholders.contains(ClientAssertion.Signer.secret.valueName)
        let secret = signs ? ClientAuthentication.secretKey.credentialNames : []
        return placeholders.union(basic + secret)
            .subtracting(captures.map(\.name) + ClientAssertion.Signer.allCases.map(\.valueName))
    }

    /// The names of all placeholders, but for that of a session's id in a path.
    var placeholders: Set<String> {
        let inPath = path.has("{") ? PlaceholderText(path).names : []
        return headers.reduce(into: fieldPlaceholders.union(inPath)) { names, header in
            names.formUnion(PlaceholderText(header.value).names)
        }
        .subtracting([SessionEndExchange.placeholder])
    }

    var fieldPlaceholders: Set<String> { JSONValue.object(fields).placeholders }

    /// Returns whether the request has this method, path and fixed query.
    func matches(_ request: WireRequest) -> Bool {
        request.method == method && hasPath(of: request) && query.isPart(of: request)
    }

    /// Returns whether the path is that of a request, where a segment with a placeholder is any that is
    /// not empty.
    private func hasPath(of request: WireRequest) -> Bool {
        guard path.has("{"), path != request.path else { return path == request.path }
        let own = path.parts(at: "/", keepsEmpty: true)
        let other = request.path.parts(at: "/", keepsEmpty: true)
        return own.count == other.count
            && zip(own, other).allSatisfy { own, other in
                own == other || !other.isEmpty && !PlaceholderText(String(own)).names.isEmpty
            }
    }

    /// Returns whether the request has the fixed headers, which distinguishes two exchanges with the
    /// same path and body.
    func hasFixedHeaders(_ request: WireRequest) -> Bool {
        headers.allSatisfy { request.header($0.name) == $0.value }
    }

    /// Returns whether the body contains the fixed members, which distinguishes two exchanges with
    /// the same path; the resource of the tokens distinguishes none.
    func hasFixedFields(_ request: WireRequest) -> Bool {
        let body = self.body(of: request)
        return fields.allSatisfy { name, value in
            name == Dialect.resourceName || value.hasPlaceholders
                || body?.value(at: name) == value
        }
    }

    /// Returns the credentials that replace the placeholders in a request.
    func values(in request: WireRequest) -> [String: Secret] {
        // A server that accepts Basic often accepts the client's credentials in the body as well.
        let client = sendsBasic ? ClientAuthentication.body.fields : [:]
        let templates = JSONValue.object(fields.merging(client) { own, _ in own })
        var found = body(of: request).map { templates.values(in: $0) } ?? [:]
        for header in headers where !header.isCookie {
            let sent = request.header(header.name)
            let value = sent.flatMap { PlaceholderText(header.value).value(in: $0) }
            if let value, found[value.name] == nil { found[value.name] = value.value }
        }
        if sendsBasic, let header = request.header("Authorization") {
            found.merge(BasicAuthentication.values(in: header)) { _, header in header }
        }
        return found.compactMapValues { $0.isEmpty ? nil : Secret($0) }
    }

    private func body(of request: WireRequest) -> JSONValue? {
        switch encoding {
        case .none: return nil
        case .json: return JSONValue(parsing: request.body)
        case .form:
            let items = FormEncoding.decode(String(decoding: request.body, as: UTF8.self))
            return .object(items.mapValues(JSONValue.string))
        }
    }
}
