package import Basics
import FoundationEssentials
package import Model
import Profiles

extension HARDocument {
    /// Returns what was seen of an app's traffic as a document.
    ///
    /// Each token is `authtop:` and its fingerprint, in the place where it was seen. There are no
    /// other credentials, cookies and bodies than those that the observation has: the beginnings of
    /// answers that brought tokens or refused something, or of all.
    ///
    /// - Parameters:
    ///   - traffic: The newest exchanges.
    ///   - findings: The findings in them.
    ///   - baseURL: The backend's base URL, if a proxy stood in for it: paths are relative to it.
    ///   - version: The version of the program.
    /// - Returns: A JSON object.
    package static func json(
        of traffic: ObservedTraffic,
        _ findings: [ObservedFinding],
        baseURL: String = "",
        version: String
    ) -> JSONValue {
        var byExchange: [Int: [ObservedFinding]] = [:]
        for finding in findings {
            for number in Set(finding.exchanges) { byExchange[number, default: []].append(finding) }
        }
        let entries = traffic.exchanges.map { exchange in
            HARDocumentEntry(exchange, in: traffic, byExchange[exchange.number] ?? [], baseURL)
        }
        return json(of: entries, version: version)
    }
}

extension HARDocumentEntry {
    fileprivate init(
        _ exchange: ObservedExchange,
        in traffic: ObservedTraffic,
        _ findings: [ObservedFinding],
        _ baseURL: String
    ) {
        let request = exchange.request
        let session = exchange.family.map(String.init) ?? "0"
        let end = exchange.deliveredAt ?? exchange.endedAt ?? exchange.startedAt
        var shown = Exchange(exchange, in: traffic, at: end)
        shown.purpose = exchange.purpose
        shown.target = Self.target(of: request)
        self.init(
            shown,
            of: session,
            startedAt: exchange.startedAt.wall,
            origin: request.origin.base(in: baseURL)
        )
        let tokens = request.occurrences + [request.subject].compactMap(\.self)
        for occurrence in tokens where occurrence.role != .unknown {
            let value = Self.mark(occurrence.fingerprint)
            switch occurrence.place {
            case .authorization:
                requestHeaders.append(WireHeader("Authorization", "Bearer \(value)"))
            case .header: requestHeaders.append(WireHeader(occurrence.name, value))
            case .cookie: requestCookies.append(WireHeader(occurrence.name, value))
            case .subprotocol:
                requestHeaders.append(WireHeader("Sec-WebSocket-Protocol", value))
            case .query, .path, .body, .message: break
            }
        }
        if !requestCookies.isEmpty {
            let pairs = requestCookies.map { "\($0.name)=\($0.value)" }
            requestHeaders.append(WireHeader("Cookie", pairs.joined(separator: "; ")))
        }
        if let agent = request.client.userAgent {
            requestHeaders.append(WireHeader("User-Agent", agent))
        }
        responseCookies = (exchange.answer?.cookies ?? []).map { cookie in
            WireHeader(cookie.name, cookie.value.map(Self.mark) ?? "")
        }
        requestBody =
            request.excerpt.map(Self.RequestBody.init)
            ?? request.body.map { Self.text(of: $0, request.presented) }
        if exchange.answer?.isHTTP2 == true { version = "HTTP/2" }
        let isWhole = exchange.failure == nil && exchange.isOver && !exchange.isAnswerLost
        error = isWhole ? nil : exchange.result
        own["_session"] = .string(session)
        if let issued = exchange.issuedGeneration { own["_issued"] = .integer(Int64(issued)) }
        if let refresh = exchange.refresh { own["_refresh"] = .string(Self.mark(refresh)) }
        if !exchange.messages.isEmpty {
            own["_webSocketMessages"] = .array(exchange.messages.map(Self.message))
        }
        if !findings.isEmpty {
            own["_findings"] = .array(
                findings.map { finding in
                    [
                        "number": .integer(Int64(finding.number)), "rule": .string(finding.rule),
                        "severity": .string(finding.severity.rawValue),
                        "confidence": .string(finding.confidence.rawValue),
                        "message": .string(finding.message),
                    ]
                }
            )
        }
    }

    /// The fields of a body, with fingerprints and placeholders in place of what may be secret.
    private static func text(
        of body: BodyFacts,
        _ occurrences: [TokenOccurrence]
    ) -> HARDocumentEntry.RequestBody {
        let fields = body.fields.map { field in
            let token = occurrences.first { $0.place == .body && $0.path == field.path }
            let value =
                switch (field.value, token) {
                case (_, let token?): mark(token.fingerprint)
                case (.text(let text), nil): text
                case (.texts(let texts), nil): texts.joined(separator: " ")
                case (.flag(let flag), nil): String(flag)
                case (.token, nil), (.credential, nil), (.other, nil): "authtop:hidden"
                }
            return (path: field.path.parts(at: ".").map(String.init), value: value)
        }
        switch body.format {
        case .form:
            let pairs = fields.map { (name: $0.path.joined(separator: "."), value: $0.value) }
            return HARDocumentEntry.RequestBody(
                type: "application/x-www-form-urlencoded",
                text: FormEncoding.encode(pairs),
                parameters: pairs.map { WireHeader($0.name, $0.value) }
            )
        case .json:
            let json = object(fields.map { ($0.path[...], $0.value) })
            return HARDocumentEntry.RequestBody(type: "application/json", text: json.serialized)
        }
    }

    private static func object(_ fields: [(path: ArraySlice<String>, value: String)]) -> JSONValue {
        var members: [String: JSONValue] = [:]
        for (name, group) in Dictionary(grouping: fields, by: { $0.path.first ?? "" }) {
            let inner = group.filter { $0.path.count > 1 }
            members[name] =
                inner.isEmpty
                ? .string(group[0].value)
                : object(inner.map { ($0.path.dropFirst(), $0.value) })
        }
        // The names of elements of a list are indexes.
        let count = members.count
        let list = (0..<count).compactMap { members[String($0)] }
        return !list.isEmpty && list.count == count ? .array(list) : .object(members)
    }

    /// A message as browsers have it, with what is known of its content.
    private static func message(_ message: ObservedExchange.Message) -> JSONValue {
        var known: [String: JSONValue] = [:]
        if let type = message.facts.type { known["type"] = .string(type) }
        if let number = message.facts.number { known["id"] = .integer(number) }
        for occurrence in message.facts.occurrences where occurrence.role != .unknown {
            known[occurrence.name] = .string(mark(occurrence.fingerprint))
        }
        return [
            "type": .string(message.facts.from == .app ? "send" : "receive"),
            "time": .number(message.at.wall.timeIntervalSince1970),
            "opcode": message.facts.isBinary ?? false ? 2 : 1,
            "data": .string(known.isEmpty ? "" : JSONValue.object(known).serialized),
            "_bytes": .integer(Int64(message.facts.bytes)),
        ]
    }

    private static func mark(_ fingerprint: Fingerprint) -> String {
        "authtop:\(fingerprint.digits)"
    }

    /// The target, which names tokens as the document does.
    private static func target(of request: RequestFacts) -> String {
        request.occurrences.reduce(request.target) { target, occurrence in
            target.replacing(
                bytes: occurrence.fingerprint.description,
                with: mark(occurrence.fingerprint)
            )
        }
    }
}
