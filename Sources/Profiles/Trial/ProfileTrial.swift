package import Basics

/// A profile against the answers of its backend: which of its keys found what they name.
package struct ProfileTrial: Sendable {
    package enum TrialStep: String, Sendable, Hashable, CaseIterable {
        case login
        case refresh
        case protected
        case logout
    }

    /// The use of a key by the answers.
    package enum Use: String, Sendable, Hashable, CaseIterable {
        /// The answer has what the key names.
        case matched
        /// No answer was of the kind that the key is for.
        case neverNeeded
        /// The answer lacks what the key names.
        case didNotMatch
    }

    package struct KeyUse: Sendable, Hashable {
        /// The path of the key in the profile.
        package let key: String
        /// The value of the key, if it has several parts.
        package let value: String
        package let use: Use
    }

    /// A value of an answer that no key of the profile reads.
    package struct UnreadValue: Sendable, Hashable {
        package let exchange: TrialStep
        /// The key path in the body, or `cookie:NAME`.
        package let place: String
    }

    /// A line that would let the profile read more.
    package struct Suggestion: Sendable, Hashable {
        package let exchange: TrialStep
        package let place: String
        /// The line as it stands at the top of a profile.
        package let line: String
    }

    package let keys: [KeyUse]
    package let unread: [UnreadValue]
    package let suggestions: [Suggestion]

    /// Compares a dialect with the last response of each kind.
    ///
    /// - Parameters:
    ///   - dialect: The dialect of the profile.
    ///   - responses: The responses; a kind that is missing was not tried, or not answered.
    ///   - secrets: The secrets that a server may repeat in a name.
    package init(
        of dialect: Dialect,
        _ responses: [TrialStep: WireResponse],
        hiding secrets: KnownSecrets = .none
    ) {
        var keys: [KeyUse] = []
        var unread: [UnreadValue] = []
        var suggestions: [Suggestion] = []
        for (kind, shape, reading) in dialect.trialExchanges {
            let response = responses[kind]
            keys.append(Self.request(kind, shape, response))
            guard let reading else { continue }
            let answer = response.flatMap { ReadAnswer($0, by: reading) }
            keys += Self.places(kind, reading, answer)
            guard let answer else { continue }
            let names = answer.unread(by: reading, hiding: secrets)
            unread += names.map { UnreadValue(exchange: kind, place: $0) }
            suggestions += names.compactMap { place in
                answer.suggestion(for: place, to: reading, by: dialect.recognition).map { entry in
                    let path = [kind.rawValue, "response", entry.key]
                    return Suggestion(
                        exchange: kind,
                        place: place,
                        line: TOMLDocument.line(path, to: .string(entry.value))
                    )
                }
            }
        }
        keys += Self.refusals(of: dialect, responses[.refresh])
        self.keys = keys
        self.unread = unread
        self.suggestions = suggestions
    }

    /// A request is wrong if its path leads nowhere, or to a page.
    private static func request(
        _ kind: TrialStep,
        _ shape: RequestShape,
        _ response: WireResponse?
    ) -> KeyUse {
        // A fresh token is accepted where it is sent as the backend wants it.
        let missed = kind == .protected ? [401, 403, 404, 405, 415] : [404, 405, 415]
        let use: Use =
            switch response {
            case nil: .neverNeeded
            case let response? where ResponseClass(status: response.status) == .success:
                ResponseBody(response).isHTML ? .didNotMatch : .matched
            case let response?:
                missed.contains(response.status) ? .didNotMatch : .matched
            }
        let path = kind == .logout ? "logout.this.request" : "\(kind.rawValue).request"
        return KeyUse(key: path, value: shape.line, use: use)
    }

    private static func places(
        _ kind: TrialStep,
        _ reading: TokenParser,
        _ answer: ReadAnswer?
    ) -> [KeyUse] {
        func use(_ key: String, _ places: [(text: String, isThere: Bool)]) -> [KeyUse] {
            let isAnyThere = places.contains(where: \.isThere)
            return places.map { place in
                // Of several places, those that the answer need not have are alternatives.
                let missing: Use = isAnyThere ? .neverNeeded : .didNotMatch
                return KeyUse(
                    key: "\(kind.rawValue).response.\(key)",
                    value: place.text,
                    use: answer == nil ? .neverNeeded : place.isThere ? .matched : missing
                )
            }
        }
        func located(_ key: String, _ places: [JSONLocation]) -> [KeyUse] {
            use(key, places.map { ($0.text, answer?.has($0) ?? false) })
        }
        func expiry(_ key: String, _ fields: [ExpiryField]) -> [KeyUse] {
            fields.flatMap { field in
                let isThere = answer?.states(field) ?? false
                return use(key, [(field.text, isThere)])
            }
        }
        var uses = located("success", reading.success.map { [.json($0)] } ?? [])
        uses += located("access", reading.access)
        uses += located("refresh", reading.refresh)
        uses += expiry("access_expires", reading.accessExpiry)
        uses += expiry("refresh_expires", reading.refreshExpiry)
        uses += located("subject", reading.subject)
        uses += located("display_name", reading.displayName)
        uses += located("token_type", reading.tokenType)
        for path in reading.account { uses += located("account", [.json(path)]) }
        return uses
    }

    private static func refusals(of dialect: Dialect, _ response: WireResponse?) -> [KeyUse] {
        guard let refresh = dialect.refresh else { return [] }
        let body = response.map { ResponseBody($0) }
        func uses(_ key: String, _ rules: [ResponseRule]) -> [KeyUse] {
            rules.enumerated().map { index, rule in
                let match = response.flatMap { response in
                    body.flatMap { rule.match(status: response.status, $0) }
                }
                return KeyUse(
                    key: "refresh.\(key).\(index)",
                    value: rule.summary,
                    use: match == .full ? .matched : .neverNeeded
                )
            }
        }
        return uses("terminal", refresh.terminal) + uses("client_faults", refresh.clientFaults)
    }
}

extension Dialect {
    /// The exchanges of a trial, each with its reading.
    fileprivate var trialExchanges:
        [(kind: ProfileTrial.TrialStep, shape: RequestShape, reading: TokenParser?)]
    {
        var exchanges:
            [(kind: ProfileTrial.TrialStep, shape: RequestShape, reading: TokenParser?)] =
                [
                    (.login, login.request, login.reading)
                ]
        if let refresh, hasRefreshToken {
            exchanges.append((.refresh, refresh.request, refresh.reading))
        }
        if let protected { exchanges.append((.protected, protected.request, nil)) }
        if let logout = logouts[.this] { exchanges.append((.logout, logout.request, nil)) }
        return exchanges
    }

    /// Returns which exchange of a trial a request belongs to, or `nil` if to none.
    package func trialKind(of request: WireRequest) -> ProfileTrial.TrialStep? {
        switch recognize(request) {
        case .login: .login
        case .refresh: .refresh
        case .protected: .protected
        case .logout: .logout
        default: nil
        }
    }
}

extension ResponseRule {
    /// The conditions in a few words, such as `400 error = invalid_grant`.
    fileprivate var summary: String {
        let status = statuses.sorted().map(String.init).joined(separator: " ")
        let values = values.compactMap(\.displayText).joined(separator: ", ")
        let condition =
            key.map { values.isEmpty ? $0 : "\($0) = \(values)" } ?? missing.map { "no \($0)" }
        return [status, condition ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
    }
}
