package import Basics

/// The appearance of a response, made safe to keep and to show: on one line each, bounded, without
/// secrets, and without the values of cookies.
package struct ResponseEvidence: Sendable, Hashable, Codable {
    /// The longest excerpt of a body, in characters.
    static let bodyLimit = 2_048
    /// The same of a response that succeeded.
    static let successBodyLimit = 512
    /// The longest value of a header, in characters.
    static let headerLimit = 200
    /// The most fields that are kept, and the most names of cookies.
    static let fieldLimit = 48
    static let cookieLimit = 8
    /// The longest name of a field, in characters.
    static let nameLimit = 64

    /// `HTTP/1.1 401 Unauthorized`.
    package var statusLine: String
    /// The fields, in their order; of `Set-Cookie`, the names of the cookies.
    package var headers: [WireHeader]
    /// The number of fields that are left out, or `nil` if none is.
    package var fieldsLeftOut: Int?
    /// The beginning of the body.
    package var body: String
    package var bodyBytes: Int
    /// Whether more of the body came than is in `body`.
    package var isBodyCut: Bool
    /// The rule that gave the response its meaning.
    package var rule: DecidingRule
    /// What its challenge asks for that no renewal brings, or `nil` if it asks for nothing like that.
    package var demand: String?

    init(
        statusLine: String,
        headers: [WireHeader] = [],
        fieldsLeftOut: Int? = nil,
        body: String = "",
        bodyBytes: Int = 0,
        isBodyCut: Bool = false,
        rule: DecidingRule,
        demand: String? = nil
    ) {
        self.statusLine = statusLine
        self.headers = headers
        self.fieldsLeftOut = fieldsLeftOut
        self.body = body
        self.bodyBytes = bodyBytes
        self.isBodyCut = isBodyCut
        self.rule = rule
        self.demand = demand
    }

    /// - Parameters:
    ///   - response: The received response.
    ///   - rule: The rule that gave it its meaning.
    ///   - secrets: The secrets that may be repeated in it, the tokens that it brings included.
    ///   - names: Names of other secrets.
    ///   - limit: The longest excerpt of its body, in characters; by default longer for a refusal.
    ///     With one, the body may be of any kind: of one that is not JSON, also short words that look
    ///     like secrets are hidden.
    package init(
        _ response: WireResponse,
        decidedBy rule: DecidingRule,
        hiding secrets: KnownSecrets,
        by names: SecretNames = Recognition.builtIn.secrets,
        bodyLimit limit: Int? = nil
    ) {
        let hider = UnknownSecrets(known: secrets, names: names)
        let line = response.statusLine ?? String(response.status)
        statusLine = hider.hiding(in: line, limit: Self.headerLimit).text
        let cookies = response.headers.filter { $0.name.isEqualIgnoringCase("Set-Cookie") }
        let fields = response.headers.filter { !$0.name.isEqualIgnoringCase("Set-Cookie") }
        headers = fields.prefix(Self.fieldLimit).map { field in
            let value = hider.hiding(in: field.value, limit: Self.headerLimit).text
            return WireHeader(
                hider.hiding(in: field.name, limit: Self.nameLimit).text,
                names.holdsSecret(field.name) && !value.isEmpty ? KnownSecrets.hidden : value
            )
        }
        let leftOut = fields.count - headers.count
        fieldsLeftOut = leftOut > 0 ? leftOut : nil
        let cookieNames = cookies.prefix(Self.cookieLimit).map {
            String($0.value.part(before: ";").part(before: "="))
        }
        if !cookieNames.isEmpty {
            let list = cookieNames.joined(separator: ", ")
            let shown = hider.hiding(in: list, limit: Self.headerLimit).text
            headers.append(WireHeader("Set-Cookie", shown))
        }
        let isSuccess = (200..<300).contains(response.status)
        (body, isBodyCut) = hider.hiding(
            in: response.body,
            limit: limit ?? (isSuccess ? Self.successBodyLimit : Self.bodyLimit),
            ofAnyKind: limit != nil,
            mayBeSecret: isSuccess
        )
        bodyBytes = response.body.count
        self.rule = rule
        if case .notExpiredError(let error) = rule {
            let text = Challenge.demand(of: error, in: response)
            demand = hider.hiding(in: text, limit: Self.headerLimit).text
        }
    }
}

extension Dialect {
    /// Returns the tokens and the captured values in a response, wherever the dialect has them.
    package func tokens(in response: WireResponse) -> [Secret] {
        tokenTexts(in: response, ResponseBody(response, by: recognition)).map(Secret.init)
    }

    /// Returns what stands in a response where a login or a refresh has its tokens, and any
    /// response the captured values.
    func tokenTexts(in response: WireResponse, _ body: ResponseBody) -> [String] {
        let json = body.json ?? .null
        let readings = [login.reading, refresh?.reading].compactMap(\.self)
        let places = readings.flatMap { $0.access + $0.refresh } + [TokenParser.idTokenPlace]
        let tokens = places.compactMap { place in
            place.value(in: response, json)?.stringValue
        }
        let captured = CapturedValues(captured(in: response, json).values)
        return tokens + captured.secrets.map { $0.reveal() }
    }
}
