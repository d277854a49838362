import Crypto
import Dialects
import Timekeeping
import Tokens

/// Makes tokens of every format from one seed.
struct TokenMint: Sendable {
    /// What a token is for, as its claims say it.
    enum Purpose: String, Sendable {
        case access
        case refresh
    }

    /// What a token is about, for formats that say so.
    struct Claims: Sendable {
        var purpose: Purpose
        var user: Int
        var session: String
        /// Seconds since 1970.
        var issuedAt: Double
        /// Seconds since 1970.
        var expiresAt: Double
    }

    private var random: SeededGenerator
    private let signer: WebTokenSigner

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        signer = WebTokenSigner(key: (0..<4).map { _ in random.next() })
        self.random = random
    }

    /// A new token.
    ///
    /// - Returns: With its true end: a web token's times are whole seconds, cut off, as real
    ///   servers write them, so that it dies up to a second early.
    mutating func token(
        _ format: TokenFormat,
        _ claims: Claims
    ) -> (secret: Secret, expiresAt: Double) {
        switch format {
        case .uuid:
            return (Secret(uuid()), claims.expiresAt)
        case .opaque:
            return (Secret(HexText.encode(random.next(), random.next())), claims.expiresAt)
        case .jwt:
            let id = HexText.encode(random.next(), random.next())
            return (signer.token(claims, id: id), claims.expiresAt.rounded(.down))
        }
    }

    /// A random UUID (RFC 9562 section 5.4).
    mutating func uuid() -> String {
        let high = random.next() & ~0xF000 | 0x4000
        let low = random.next() & ~(0xC << 60) | 0x8 << 60
        return HexText.encode(high, low, groups: [8, 4, 4, 4, 12])
    }
}
