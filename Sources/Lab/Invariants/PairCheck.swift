import Basics
import Client
import Model
import Profiles
import Simulation

/// 4: the tokens in the vault were always issued together.
struct PairCheck {
    /// With which refresh token each access token came, and those that came in its place since.
    private var partners: [AccessToken: [RefreshToken?]] = [:]
    private(set) var checked = 0

    mutating func issued(_ issued: IssuedTokens, for spent: RefreshToken?) {
        partners[issued.access] = [issued.refresh ?? spent]
    }

    /// A refresh token came in place of another one, and no access token with it; a process that is
    /// killed before it has written that goes on with the one before.
    mutating func replaced(_ spent: RefreshToken?, by next: RefreshToken) {
        guard let spent else { return }
        for (access, known) in partners where known.contains(spent) {
            partners[access] = known + [next]
        }
    }

    mutating func wrote(_ write: VaultWrite) -> InvariantViolation.Finding? {
        guard let pair = write.new.pair else { return nil }
        checked += 1
        guard let known = partners[pair.tokens.access] else {
            return InvariantViolation.Finding(
                .atomicPair,
                "the vault holds an access token that was never issued"
            )
        }
        // A refused refresh token is taken out of the record; the access token drains.
        guard let refresh = pair.tokens.refresh, !known.contains(refresh) else { return nil }
        return InvariantViolation.Finding(
            .atomicPair,
            "the vault holds tokens of two different answers"
        )
    }
}
