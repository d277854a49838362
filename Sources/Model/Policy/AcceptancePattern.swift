/// The order in which requests with one access token are accepted and refused, over the tokens of a
/// session.
///
/// A token that is accepted after it was refused is good, whatever refused it: a renewal brings no
/// better one.
package struct AcceptancePattern: Sendable, Hashable {
    /// As many refusals in a row end a token that was accepted after a refusal.
    private static let refusalsOfMixed = 4
    /// As many acceptances in a row end a pattern.
    private static let acceptancesOfOne = 10
    /// A token that was first accepted later than this many seconds after its issue says nothing of
    /// a delay.
    private static let longestDelay = 30.0

    /// The request that is observed, since another one may need other rights.
    private var request: [String]?
    private var login = 0
    private var generation = 0
    /// Whether a request with this generation's token was accepted.
    private var wasAccepted = false
    private var refusedInARow = 0
    private var acceptedInARow = 0
    /// The age at which the token was refused last, in seconds.
    private var lastRefusedAge = 0.0
    /// The age up to which tokens were refused that were accepted afterwards, in seconds, or `nil` if
    /// none was.
    package private(set) var delay: Double?
    /// Whether a token was accepted, then refused, then accepted again.
    package private(set) var isMixed = false

    package init() {}

    /// Takes in an exchange that is over.
    package mutating func observe(_ exchange: Exchange, login: Int) {
        guard exchange.purpose == .protected, exchange.why.isOfProfile, exchange.generation > 0,
            let acceptance = exchange.tokenAcceptance, acceptance != .undecided
        else { return }
        let request = [exchange.method, exchange.target]
        if login != self.login {
            self = AcceptancePattern()
            self.login = login
            self.request = request
        }
        guard request == self.request, exchange.generation >= generation else { return }
        if exchange.generation > generation {
            generation = exchange.generation
            wasAccepted = false
            refusedInARow = 0
        }
        let age = exchange.tokenAge ?? .infinity
        if acceptance == .accepted { accept(at: age) } else { refuse(at: age) }
    }

    private mutating func refuse(at age: Double) {
        refusedInARow += 1
        acceptedInARow = 0
        lastRefusedAge = age
    }

    private mutating func accept(at age: Double) {
        if refusedInARow > 0 {
            if wasAccepted {
                isMixed = true
            } else if lastRefusedAge <= Self.longestDelay {
                delay = lastRefusedAge
            }
        } else if !wasAccepted, let delay, age < delay {
            // A young token that is accepted at once shows that there is no delay any more.
            self.delay = nil
        }
        wasAccepted = true
        refusedInARow = 0
        acceptedInARow += 1
        if acceptedInARow >= Self.acceptancesOfOne { isMixed = false }
    }

    /// Whether the last refusal may be due to the token, so that a renewal may help.
    ///
    /// - Parameter age: The token's age at the refusal, in seconds.
    /// - Returns: Whether it may be.
    package func mayBeAboutToken(age: Double) -> Bool {
        if let delay, !wasAccepted, age <= delay * 1.5 + 1 { return false }
        return !isMixed || refusedInARow >= Self.refusalsOfMixed
    }
}

extension RequestCause {
    /// Whether it is the reason of the profile's own request, which is the same each time.
    var isOfProfile: Bool {
        switch self {
        case .interval, .user: true
        case .login, .refresh, .abandonedRefresh, .logout, .custom, .experiment, .observed: false
        }
    }
}
