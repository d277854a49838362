import Tokens

/// How a request's body is written.
enum BodyEncoding: String, Sendable, Hashable, CaseIterable {
    case json
    case form
    case none
}

/// A request with gaps: everything about it but the credentials and the tokens.
struct RequestShape: Sendable, Hashable {
    var method: String
    /// Exactly as the backend wants it, without a query.
    var path: String
    var query = FixedQuery.none
    var headers: [WireHeader] = []
    var encoding = BodyEncoding.none
    /// The body's fixed members, whose strings may hold gaps for credentials.
    var fields: [String: JSONValue] = [:]
    /// Whether the client's credentials go into the `Authorization` header.
    var sendsBasic = false

    /// The method and the target as a person writes them.
    var line: String { "\(method) \(query.target(path))" }

    /// The request with the values in its gaps and each token in its place.
    func filled(
        values: [String: Secret] = [:],
        tokens: [(place: TokenLocation, secret: Secret)] = []
    ) -> WireRequest {
        var body = JSONValue.object(fields).filled(values)
        var asked: [(name: String, value: String)] = []
        var request = WireRequest(method: method, target: path)
        for (place, secret) in tokens {
            let text = secret.reveal()
            switch place {
            case .bearer: request.headers.append(WireHeader("Authorization", "Bearer \(text)"))
            case .header(let name): request.headers.append(WireHeader(name, text))
            case .cookie(let name):
                request.headers.append(WireHeader("Cookie", Cookies.pair(name, text)))
            case .json(let path): body = body.setting(.string(text), at: path)
            case .form(let name): body = body.setting(.string(text), at: name)
            case .query(let name): asked.append((name, text))
            }
        }
        if sendsBasic, let header = BasicAuthentication.header(values) {
            request.headers.append(header)
        }
        request.target = query.target(
            path,
            and: asked.isEmpty ? [] : [FormEncoding.encode(asked)]
        )
        write(body, into: &request)
        request.headers += headers
        return request
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

    /// Unless the dialect states one of its own.
    private func addContentType(_ type: String, to request: inout WireRequest) {
        guard !headers.contains(where: { $0.name.lowercased() == "content-type" }) else { return }
        request.headers.append(WireHeader("Content-Type", type))
    }
}

extension RequestShape {
    /// What a profile's file holds that is probably a secret: fixed headers and fields, by name.
    var fixedSecrets: [(name: String, value: Secret)] {
        let inHeaders = headers.filter {
            HiddenValues.isSecret($0.value, at: ["headers", $0.name])
        }
        let inFields = JSONValue.object(fields).pairs
            .filter { HiddenValues.isSecret($0.value, at: ["fields", $0.name]) }
        return inHeaders.flatMap { header in
            // Behind a scheme such as `Basic` it may be repeated alone.
            let parts = header.value.split(separator: " ", maxSplits: 1).map(String.init)
            return Set([header.value, parts.last ?? ""]).map { (header.name, Secret($0)) }
        } + inFields.map { ($0.name, Secret($0.value)) }
    }

    /// The credentials that the request holds.
    var credentialNames: Set<String> {
        let basic = sendsBasic ? ClientAuthentication.basic.credentialNames : []
        return JSONValue.object(fields).placeholders.union(basic)
    }

    /// Whether the request is one of this shape, by its method, path and fixed query.
    func matches(_ request: WireRequest) -> Bool {
        request.method == method && request.path == path && query.isPart(of: request)
    }

    /// Whether the body also holds the fixed members: tells two exchanges on one path apart.
    func hasFixedFields(_ request: WireRequest) -> Bool {
        let body = self.body(of: request)
        return fields.allSatisfy { name, value in
            value.hasPlaceholders || body?.value(at: name) == value
        }
    }

    /// The credentials that the request holds where the shape has gaps.
    func values(in request: WireRequest) -> [String: Secret] {
        // A server that takes Basic often takes the client's credentials in the body as well.
        let client = sendsBasic ? ClientAuthentication.body.fields : [:]
        let templates = JSONValue.object(fields.merging(client) { own, _ in own })
        var found = body(of: request).map { templates.values(in: $0) } ?? [:]
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
