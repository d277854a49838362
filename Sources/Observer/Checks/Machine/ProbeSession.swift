import Basics
import Profiles

/// One run of a probe's script, with families of its own.
package struct ProbeSession: Sendable {
    /// From 0, within its probe.
    let number: Int
    /// The key that distinguishes it from the probe's other probe sessions, such as its delay in
    /// seconds.
    let key: Double
    /// From 1; each attempt has families of its own.
    var attempt = 1
    /// The result of each step.
    var results: [[CheckExchange]] = []
    var families: [Int: ProbeFamily] = [:]
    /// The sockets that its steps have opened: their numbers, by the step.
    var sockets: [Int: Int] = [:]
    /// When a socket was cut in an earlier attempt: a second time is no coincidence.
    var cuts: Set<FeedOccasion> = []
    var phase = Phase.ready
    /// The number of times that the step at hand has been sent.
    var tries = 0
    /// Bare refusals of the step at hand.
    var bareRefusals = 0
    /// When the first of them came, in seconds.
    var bareSince: Double?
    var hasWaitedForLimit = false
    /// When the step at hand is sent again.
    var retryAt: Instant?

    enum Phase: Sendable, Hashable {
        case ready
        /// The numbers of its requests that are in progress.
        case waiting(Set<Int>)
        case watching(SocketWatch)
        case finished
        case failed(UnclearAnswer)
        /// Not needed any more.
        case dropped
    }

    init(number: Int, key: Double) {
        self.number = number
        self.key = key
    }

    /// The exchange of a step, or `nil` if it has not been made; of two at once, the first.
    subscript(step: Int) -> CheckExchange? {
        results.indices.contains(step) ? results[step].first : nil
    }

    var exchanges: [CheckExchange] { results.flatMap(\.self) }

    /// Whether its script was completed.
    package var isComplete: Bool { phase == .finished }

    var isOver: Bool {
        switch phase {
        case .ready, .waiting, .watching: false
        case .finished, .failed, .dropped: true
        }
    }

    /// Whether an answer is awaited.
    var isUnderWay: Bool {
        if case .waiting = phase { true } else { false }
    }

    mutating func restart() {
        attempt += 1
        results = []
        families = [:]
        sockets = [:]
        phase = .ready
        tries = 0
        bareRefusals = 0
        bareSince = nil
        retryAt = nil
    }
}

/// The observation of a socket for a time.
struct SocketWatch: Sendable, Hashable {
    let socket: Int
    /// The step that has opened it.
    let step: Int
    let occasion: FeedOccasion
    let since: Moment

    /// When it ends if the socket stays open.
    var end: Instant { since.now.advanced(bySeconds: occasion.seconds) }
}

/// The tokens that descend from one login.
struct ProbeFamily: Sendable {
    private(set) var pairs: [TokenPair] = []
    private(set) var captured = CapturedValues.none

    /// The newest access token.
    func access(_ generation: Int?) -> AccessToken? {
        pair(generation)?.access
    }

    /// The refresh token of a generation: that of the one before, if the answer had none.
    func refresh(_ generation: Int?) -> RefreshToken? {
        let last = generation ?? pairs.count
        return pairs.prefix(last).last { $0.refresh != nil }?.refresh
    }

    /// A family of the newest tokens alone, or `nil` if there are none.
    var newest: ProbeFamily? {
        guard let pair = pairs.last else { return nil }
        var family = self
        family.pairs = [
            TokenPair(access: pair.access, refresh: refresh(nil), captures: captured)
        ]
        return family
    }

    private func pair(_ generation: Int?) -> TokenPair? {
        let index = (generation ?? pairs.count) - 1
        return pairs.indices.contains(index) ? pairs[index] : nil
    }

    /// Adds what an answer brought, and returns it by its generation.
    mutating func add(_ tokens: IssuedTokens, sent: RefreshToken?) -> IssuedGeneration {
        let refresh: IssuedGeneration.Refresh =
            switch tokens.refresh {
            case nil: .absent
            case sent: .unchanged
            case let token:
                pairs.firstIndex { $0.refresh == token }.map { .repeated($0 + 1) } ?? .new
            }
        captured = captured.applying(tokens.captured)
        pairs.append(
            TokenPair(access: tokens.access, refresh: tokens.refresh, captures: captured)
        )
        return IssuedGeneration(number: pairs.count, refresh: refresh)
    }
}
