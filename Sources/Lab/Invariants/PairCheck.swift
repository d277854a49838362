import Basics
import Client
import Model
import Profiles
import Simulation

/// 4: the tokens in the vault were always issued together.
struct PairCheck {
    /// With which refresh token each access token came.
    private var partners: [AccessToken: RefreshToken?] = [:]
    private(set) var checked = 0

    mutating func issued(_ issued: IssuedTokens, for spent: RefreshToken?) {
        partners.updateValue(issued.refresh ?? spent, forKey: issued.access)
    }

    /// A refresh token came in place of another one, and no access token with it.
    mutating func replaced(_ spent: RefreshToken?, by next: RefreshToken) {
        guard let spent else { return }
        for (access, partner) in partners where partner == spent {
            partners.updateValue(next, forKey: access)
        }
    }

    mutating func wrote(_ write: VaultWrite) -> InvariantViolation.Finding? {
        guard let pair = write.new.pair else { return nil }
        checked += 1
        guard let partner = partners[pair.tokens.access] else {
            return InvariantViolation.Finding(
                .atomicPair,
                "the vault holds an access token that was never issued"
            )
        }
        // A refused refresh token is taken out of the record; the access token drains.
        guard let refresh = pair.tokens.refresh, refresh != partner else { return nil }
        return InvariantViolation.Finding(
            .atomicPair,
            "the vault holds tokens of two different answers"
        )
    }
}
