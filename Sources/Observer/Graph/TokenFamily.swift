import Basics
package import Model
import Profiles

/// Tokens that logins and refreshes connect: one session of an app.
package struct TokenFamily: Sendable {
    static let generationLimit = 256

    /// Counts from 1 over the run.
    let id: Int
    package let origin: String
    let startedAt: Moment
    /// Whether its login was not seen.
    let isJoined: Bool
    /// The newest pairs, in the order in which they came.
    var generations: [TokenGeneration] = []
    package internal(set) var clients: [ObservedClient] = []
    package internal(set) var subject: String?
    package internal(set) var end: ObservedEnd?
    var endedAt: Moment?
    /// The exchange that ended it, if one did.
    var endedIn: Int?
    var lastUsedAt: Moment
    /// The refresh that began last and could renew it, whatever its result.
    private(set) var lastRefresh: Int?
    /// The answers to requests with its access token, and those of them that replaced it by the way.
    var answers = 0
    var replacements = 0
    /// Whether nothing but its use shows which of its tokens renew it.
    var isRefreshInferred = false
    /// Whether a rule has found something in it, so that others make room before it.
    var hasFinding = false
    /// The refresh tokens that were refused for good.
    var refused: Set<Fingerprint> = []

    package var session: SessionID { SessionID(String(id)) }

    /// The highest number of a pair.
    package var newest: Int { generations.map(\.number).max() ?? 0 }

    /// The pair with the highest number that came last.
    var newestGeneration: TokenGeneration? {
        generations.last { $0.number == newest }
    }

    func generation(_ number: Int, with access: Fingerprint? = nil) -> TokenGeneration? {
        generations.last {
            $0.number == number && (access == nil || $0.access?.fingerprint == access)
        }
    }

    /// The first pair that a refresh token was exchanged for and that matches.
    func child(
        of refresh: Fingerprint,
        where matches: (TokenGeneration) -> Bool = { _ in true }
    ) -> TokenGeneration? {
        generations.first { $0.parent == refresh && matches($0) }
    }

    /// The pair that an exchange brought for a refresh token.
    func child(of refresh: Fingerprint, broughtBy exchange: Int) -> TokenGeneration? {
        // Of a token that is never replaced there are many: none is copied to be compared.
        let place = generations.indices.first {
            generations[$0].exchange == exchange && generations[$0].parent == refresh
        }
        return place.map { generations[$0] }
    }

    /// The newest pair that has a refresh token.
    func holder(of refresh: Fingerprint) -> TokenGeneration? {
        generations.last { $0.refresh == refresh }
    }

    /// A refresh token that was neither spent nor refused, as far as is known.
    var liveRefreshToken: Fingerprint? {
        guard end == nil, let token = newestGeneration?.refresh, !refused.contains(token) else {
            return nil
        }
        return token
    }

    /// Whether more than half of the answers replace its access token, so that a new one says nothing.
    ///
    /// A replacement by the way is a renewal only if answers before have left the token as it was: a server
    /// that encrypts its session in the cookie, as Rails does, writes it again with each answer, the first
    /// one included.
    var isRolling: Bool { replacements > 0 && replacements * 2 > answers }

    /// Takes in a refresh that begins, unless it presents a token that the app has a newer one for.
    mutating func recordRefresh(_ exchange: ObservedExchange) {
        if let refresh = exchange.refresh, let newest = newestGeneration,
            newest.refresh != refresh, !newest.deliveries.isEmpty
        {
            return
        }
        lastRefresh = exchange.number
    }

    mutating func add(_ generation: TokenGeneration) {
        generations = generations.suffix(Self.generationLimit - 1) + [generation]
    }

    mutating func change(
        generation number: Int,
        branch: Int,
        _ body: (inout TokenGeneration) -> Void
    ) {
        guard
            let place = generations.lastIndex(where: { $0.number == number && $0.branch == branch })
        else { return }
        body(&generations[place])
    }
}

/// The state of a token by its fingerprint.
struct TokenNode: Sendable, Hashable {
    var role: TokenRole
    let family: Int
    /// The number of the newest pair that has it.
    var generation: Int
    var branch: Int
    /// Whether it belongs to the family and to none of its pairs, such as the ticket of a socket.
    let isAuxiliary: Bool
}
