import Basics
import Profiles

/// Something that every access token of a session should state alike.
package enum SessionClaim: String, Sendable, Hashable, CaseIterable {
    case subject = "sub"
    case audience = "aud"
    case scope
}

/// The statements of two access tokens of a session.
package struct ClaimComparison: Sendable, Hashable {
    package var kept: [SessionClaim] = []
    package var changed: [SessionClaim] = []
    /// Those of which the later one states a part, or nothing.
    package var lost: [SessionClaim] = []

    var isEmpty: Bool { kept.isEmpty && changed.isEmpty && lost.isEmpty }
}

/// The subject of an access token, as it states itself (RFC 9068 section 2.2).
struct SessionClaims: Sendable, Hashable {
    private let values: [SessionClaim: Set<String>]

    /// Reads a token; `nil` if it is opaque.
    init?(_ token: AccessToken) {
        guard let claims = JSONWebToken(reading: token.secret)?.claims else { return nil }
        var values: [SessionClaim: Set<String>] = [:]
        values[.subject] = claims["sub"]?.displayText.map { [$0] }
        values[.audience] = Self.texts(claims["aud"])
        values[.scope] = Scopes.claimed(in: claims)
        self.values = values
    }

    subscript(claim: SessionClaim) -> Set<String>? { values[claim] }

    private static func texts(_ value: JSONValue?) -> Set<String>? {
        switch value {
        case .array(let items)?: Set(items.compactMap(\.displayText))
        case let value?: value.displayText.map { [$0] }
        case nil: nil
        }
    }
}

extension ProbeAnswerFacts {
    /// The claims that a later answer states as this one does, those that it states otherwise, and
    /// those of which it states a part or nothing; claims that neither states are in none of them.
    ///
    /// A scope that is left out of an answer is the one before (RFC 6749 section 6).
    func compared(with later: ProbeAnswerFacts) -> ClaimComparison {
        var comparison = ClaimComparison()
        for claim in SessionClaim.allCases {
            var values: [(first: Set<String>, next: Set<String>)] = []
            if let first = claims, let next = later.claims,
                first[claim] != nil || next[claim] != nil
            {
                values.append((first[claim] ?? [], next[claim] ?? []))
            }
            if claim == .scope, let first = scope, let next = later.scope {
                let lost = Scopes.lost(from: first, to: next)
                values.append((first.intersection(next).union(lost), next))
            }
            guard !values.isEmpty else { continue }
            if values.allSatisfy({ $0.first == $0.next }) {
                comparison.kept.append(claim)
            } else if values.allSatisfy({ $0.next.isSubset(of: $0.first) }) {
                comparison.lost.append(claim)
            } else {
                comparison.changed.append(claim)
            }
        }
        return comparison
    }
}
