import Basics

/// Something that a check must show, as the user writes it.
package struct Expectation: Sendable, Hashable {
    package enum Subject: String, Sendable, Hashable, CaseIterable {
        case policy
        case window
        case rotation
        case race
        case lost
        case logout
        /// The audience and the scope of a refreshed access token.
        case audience
        case scope
        /// A refresh for another resource.
        case resource
        /// The refresh token after a challenge for a nonce.
        case nonce
    }

    package enum Outcome: String, Sendable, Hashable {
        case holds
        case fails
        /// The check did not show it.
        case unknown
        /// No check can show it.
        case notTestable
    }

    package let subject: Subject
    /// The accepted value: the names, or for a window `30..60` in seconds.
    package let value: String
    let window: ClosedRange<Double>?

    /// Parses `policy=strict-revoke` or `window=30..60`.
    package init(parsing text: String) throws(ExpectationError) {
        let parts = text.parts(at: "=", limit: 2).map(String.init)
        guard parts.count == 2, !parts[1].isEmpty else { throw .malformed(text) }
        guard let subject = Subject(rawValue: parts[0]) else { throw .unknownSubject(parts[0]) }
        self.subject = subject
        value = parts[1]
        guard subject == .window else {
            window = nil
            guard Self.values(of: subject).contains(value) else {
                throw .unknownValue(value, subject)
            }
            return
        }
        let text = value
        let halves =
            text.range(ofBytes: "..").map { [text[..<$0.lowerBound], text[$0.upperBound...]] }
            ?? [text[...]]
        let bounds = halves.map { Double($0) }
        guard bounds.count <= 2, let low = bounds.first ?? nil, let high = bounds.last ?? nil,
            low >= 0, low <= high
        else { throw .unknownValue(value, subject) }
        window = low...high
    }

    /// The values that a subject may have; of a window, an example.
    package static func values(of subject: Subject) -> [String] {
        switch subject {
        case .policy: ReuseVerdict.allCases.map(\.rawValue)
        case .window: ["30..60"]
        case .rotation: ["replaces", "keeps", "keepsSilently"]
        case .race: RaceVerdict.allCases.map(\.rawValue)
        case .lost: ["recovers", "lost"]
        case .logout: ["refresh", "all", "nothing"]
        case .audience, .scope: ["kept", "changed"]
        case .resource: ["refused", "ignored", "issued"]
        case .nonce: NonceVerdict.allCases.map(\.rawValue)
        }
    }

    /// Compares it with what a check has shown.
    package func outcome(in report: CheckReport) -> Outcome {
        switch subject {
        case .policy:
            switch report.policy.name {
            case .named(let verdict): return verdict.rawValue == value ? .holds : .fails
            case .possible(let verdicts):
                return verdicts.contains { $0.rawValue == value } ? .unknown : .fails
            case .inconclusive: return .unknown
            }
        case .window: return windowOutcome(report.policy)
        case .rotation, .race, .lost, .logout, .audience, .scope, .resource, .nonce:
            let shown = report.verdicts.compactMap(shown)
            guard !shown.isEmpty else { return .unknown }
            return shown.allSatisfy { $0 == value } ? .holds : .fails
        }
    }

    private func windowOutcome(_ policy: PolicyFinding) -> Outcome {
        guard let window, let found = policy.window else {
            return policy.verdict == nil ? .unknown : .fails
        }
        if found.low > window.upperBound { return .fails }
        guard let high = found.high else { return .unknown }
        if high <= window.lowerBound { return .fails }
        // The measured value lies within the expectation, or at its bounds.
        return found.low >= window.lowerBound - Self.tolerance
            && high <= window.upperBound + Self.tolerance ? .holds : .unknown
    }

    /// The distance by which a measured bound may lie outside, in seconds.
    private static let tolerance = 5.0

    private func shown(_ verdict: Verdict) -> String? {
        switch (subject, verdict) {
        case (.rotation, .rotation(let rotation)): rotation.rawValue
        case (.race, .race(let race, _)): race.rawValue
        case (.lost, .lostAnswer(let lost, _)): lost == .lost ? "lost" : "recovers"
        case (.logout, .logout(let logout)):
            logout.refreshLives == true
                ? "nothing" : logout.accessLives == true ? "refresh" : "all"
        case (.nonce, .nonce(let nonce)): nonce.rawValue
        case (.audience, .claims(let claims)): Self.kept(.audience, claims)
        case (.scope, .claims(let claims)): Self.kept(.scope, claims)
        case (.resource, .resource(.other, let answer)):
            // Tokens that state no audience leave open for which resource they are.
            !answer.isAccepted
                ? "refused" : answer.keepsAudience.map { $0 ? "ignored" : "issued" }
        default: nil
        }
    }
}

extension Expectation {
    private static func kept(_ claim: SessionClaim, _ claims: ClaimComparison) -> String? {
        if claims.kept.contains(claim) { return "kept" }
        return (claims.changed + claims.lost).contains(claim) ? "changed" : nil
    }
}

/// Why a text is no expectation.
package enum ExpectationError: Error, Sendable, Hashable {
    case malformed(String)
    case unknownSubject(String)
    case unknownValue(String, Expectation.Subject)
    case unknownSet(String)
}

/// A set of expectations that a specification or a kind of client makes.
package enum ExpectationSet: String, Sendable, Hashable, CaseIterable {
    /// RFC 9700 section 4.14.2: refresh tokens rotate, and reuse ends the session.
    case rfc9700
    /// OWASP ASVS 5.0, 10.4.5: as `rfc9700`, and 7.4.1: a logout ends the session's tokens.
    case asvs1 = "asvs-1"
    case asvs2 = "asvs-2"
    /// A client that loses an answer can go on: an old token lives until the new one is used, or
    /// for a while.
    case longLived = "long-lived"
    /// The testing checklist of the guide that the dialect was written from.
    case guide

    /// One requirement, compared with what a check has shown.
    package struct Result: Sendable {
        package let name: String
        package let outcome: Expectation.Outcome
        /// Why no check can show it.
        package var reason: UntestableReason?
    }

    /// Compares the set with what a check has shown, requirement by requirement.
    package func results(in report: CheckReport, dialect: String) -> [Result] {
        guard self == .guide else {
            return requirements.map {
                Result(name: "\(rawValue) \($0.rawValue)", outcome: $0.outcome(in: report))
            }
        }
        let items = GuideChecklist(ofDialect: dialect)?.items ?? []
        return items.map { item in
            switch item.evidence {
            case .shown(let requirement):
                Result(name: item.line, outcome: requirement.outcome(in: report))
            case .notTestable(let reason):
                Result(name: item.line, outcome: .notTestable, reason: reason)
            }
        }
    }

    private var requirements: [Requirement] {
        switch self {
        case .rfc9700: [.rotation, .reuseEndsSession]
        case .asvs1: [.rotation, .logoutEndsRefresh]
        case .asvs2: [.rotation, .reuseEndsSession, .logoutEndsRefresh]
        case .longLived: [.lostAnswerRecovers]
        case .guide: []
        }
    }

    enum Requirement: String, Sendable, Hashable, CaseIterable {
        case rotation
        case reuseEndsSession = "reuse-ends-session"
        case logoutEndsRefresh = "logout-ends-refresh"
        case lostAnswerRecovers = "lost-answer-recovers"

        func outcome(in report: CheckReport) -> Expectation.Outcome {
            switch self {
            case .rotation:
                switch report.policy.name {
                case .named(.fixed): .fails
                case .named: .holds
                // A refresh has shown it, whatever the rest leaves open.
                case .possible, .inconclusive: report.rotationOutcome
                }
            case .reuseEndsSession:
                switch report.policy.name {
                case .named(.strictRevoke): .holds
                case .named(let verdict) where verdict.hasWindow:
                    report.policy.endsAfterWindow.map { $0 ? .holds : .fails } ?? .unknown
                case .named: .fails
                case .possible(let verdicts):
                    verdicts.contains(.strictRevoke) ? .unknown : .fails
                case .inconclusive: .unknown
                }
            case .logoutEndsRefresh:
                report.verdicts.lazy
                    .compactMap { verdict in
                        if case .logout(let logout) = verdict { logout.refreshLives } else { nil }
                    }
                    .first.map { $0 ? .fails : .holds } ?? .unknown
            case .lostAnswerRecovers:
                switch report.policy.name {
                case .named(.strict), .named(.strictRevoke), .named(.singleUse): .fails
                case .named: .holds
                case .possible, .inconclusive: .unknown
                }
            }
        }
    }
}

extension CheckReport {
    /// Whether a refresh replaces the refresh token, by what one has brought; one that brings none leaves
    /// it open whether the token is spent.
    fileprivate var rotationOutcome: Expectation.Outcome {
        verdicts.lazy
            .compactMap { verdict -> Expectation.Outcome? in
                guard case .rotation(let rotation) = verdict else { return nil }
                switch rotation {
                case .replaces: return .holds
                case .keeps: return .fails
                case .keepsSilently: return .unknown
                }
            }
            .first ?? .unknown
    }
}
