import Basics
import Profiles

/// The conversation on one socket, from its opening to its end.
///
/// It says what the script has for an occasion, and knows by when what has to come. It decides
/// nothing about the socket: what follows from an acceptance, a refusal or a silence is the
/// `FeedMachine`'s.
struct FeedTalk: Sendable, Hashable {
    enum Input: Sendable, Hashable {
        case opened
        /// A message has come that meets the expectations with these indices.
        case met([Int])
        /// The session has a new token.
        case renewed
        /// A deadline has passed; of a socket that is not read, only those of what is said.
        case tick(isRead: Bool)
        /// The socket is read again: what was sent meanwhile is read first.
        case readAgain
    }

    enum Action: Sendable, Hashable {
        case say([FeedSaying])
        /// The socket counts as open from now on.
        case accept
        /// The server has refused the token.
        case refuse
        /// What is expected under this name has not come within this many seconds.
        case giveUp(name: String, seconds: Double)
    }

    private struct Limit: Sendable, Hashable {
        var at: Instant
        var seconds: Double
    }

    private let script: FeedScript
    private var isAccepted = false
    /// The indices of the acceptances that have not come yet.
    private var missing: Set<Int>
    /// By when an expectation has to be met, by its index.
    private var limits: [Int: Limit] = [:]
    /// When a message is said that is said at intervals, by its index.
    private var dueAt: [Int: Instant] = [:]
    /// The messages with a number of their own so far.
    private var numbered = 0

    init(_ script: FeedScript) {
        self.script = script
        missing = Set(
            script.expectations.indices.filter { script.expectations[$0].meaning == .accepted }
        )
    }

    /// When a `tick` is due, or `nil` if nothing is said and nothing has to come.
    func deadline(isRead: Bool) -> Instant? {
        (Array(dueAt.values) + (isRead ? limits.values.map(\.at) : [])).min()
    }

    /// Takes an input and returns what follows, in order.
    mutating func take(_ input: Input, at now: Instant) -> [Action] {
        switch input {
        case .opened:
            for index in missing { limit(index, script.expectations[index].limit, at: now) }
            return actions([say(.opening, at: now)]) + (missing.isEmpty ? accept(at: now) : [])
        case .met(let indices): return met(indices, at: now)
        case .renewed: return actions([say(.renewal, at: now)])
        case .tick(let isRead): return tick(isRead: isRead, at: now)
        case .readAgain:
            let earliest = now.advanced(bySeconds: FeedSay.usualLimit)
            limits = limits.mapValues { Limit(at: max($0.at, earliest), seconds: $0.seconds) }
            return []
        }
    }

    private mutating func met(_ indices: [Int], at now: Instant) -> [Action] {
        let expected = indices.filter(script.expectations.indices.contains)
        guard !expected.contains(where: { script.expectations[$0].meaning == .refused }) else {
            return [.refuse]
        }
        var said: [[FeedSaying]] = []
        for index in expected {
            limits[index] = nil
            missing.remove(index)
            if isAccepted, let interval = script.expectations[index].interval {
                limit(index, interval, at: now)
            }
            said.append(say(.after(index), at: now))
        }
        let isComplete = !isAccepted && missing.isEmpty && !expected.isEmpty
        return actions(said) + (isComplete ? accept(at: now) : [])
    }

    private mutating func accept(at now: Instant) -> [Action] {
        isAccepted = true
        for (index, say) in script.says.enumerated() {
            guard case .interval(let seconds) = say.occasion else { continue }
            dueAt[index] = now.advanced(bySeconds: seconds)
        }
        for (index, expectation) in script.expectations.enumerated() {
            if let interval = expectation.interval { limit(index, interval, at: now) }
        }
        return [.accept]
    }

    private mutating func tick(isRead: Bool, at now: Instant) -> [Action] {
        let passed = limits.filter { $0.value.at <= now }
        if isRead, let first = passed.min(by: { ($0.value.at, $0.key) < ($1.value.at, $1.key) }) {
            let name = script.expectations[first.key].name
            return [.giveUp(name: name, seconds: first.value.seconds)]
        }
        let due = dueAt.filter { $0.value <= now }.keys.sorted()
        for index in due {
            guard case .interval(let seconds) = script.says[index].occasion else { continue }
            dueAt[index] = now.advanced(bySeconds: seconds)
        }
        return actions([due.map { say($0, at: now) }])
    }

    private mutating func say(_ occasion: FeedSay.Occasion, at now: Instant) -> [FeedSaying] {
        script.says.indices.filter { script.says[$0].occasion == occasion }
            .map { say($0, at: now) }
    }

    private mutating func say(_ index: Int, at now: Instant) -> FeedSaying {
        let say = script.says[index]
        if let answer = say.answer, limits[answer] == nil {
            limit(answer, say.limit, at: now)
        }
        guard say.isNumbered else { return FeedSaying(say: index) }
        numbered += 1
        return FeedSaying(say: index, number: numbered)
    }

    private mutating func limit(_ index: Int, _ seconds: Double, at now: Instant) {
        limits[index] = Limit(at: now.advanced(bySeconds: seconds), seconds: seconds)
    }

    private func actions(_ said: [[FeedSaying]]) -> [Action] {
        let sayings = said.flatMap(\.self)
        return sayings.isEmpty ? [] : [.say(sayings)]
    }
}
