import Basics
import Profiles

/// Something that every access token of a session should state alike.
package enum SessionClaim: String, Sendable, Hashable, CaseIterable {
    case subject = "sub"
    case audience = "aud"
    case scope
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
    /// The claims that a later answer states as this one does, and those that it does not; claims
    /// that neither states are in neither.
    ///
    /// A scope that is left out is the one before (RFC 6749 section 6).
    func compared(with later: ProbeAnswerFacts) -> (kept: [SessionClaim], changed: [SessionClaim]) {
        var kept: [SessionClaim] = []
        var changed: [SessionClaim] = []
        for claim in SessionClaim.allCases {
            var isSame: [Bool] = []
            if let first = claims, let next = later.claims,
                first[claim] != nil || next[claim] != nil
            {
                isSame.append(first[claim] == next[claim])
            }
            if claim == .scope, let first = scope, let next = later.scope {
                isSame.append(first == next)
            }
            guard !isSame.isEmpty else { continue }
            if isSame.contains(false) { changed.append(claim) } else { kept.append(claim) }
        }
        return (kept, changed)
    }
}
