import Backend
import Client
package import Model
package import Profiles

/// Everything about a simulated system that its seed decides before it begins.
package struct Scenario: Sendable {
    /// The form in which the server states the expiry of a token.
    package enum Evidence: Sendable, CaseIterable {
        case lifetime
        case webToken
        case timestamp
    }

    package var kind: ScenarioKind
    package var processes: Int
    /// Seconds, as all times here.
    package var accessLifetime: Double
    package var refreshLifetime: Double
    package var refreshSlides: Bool
    package var rotation: Rotation
    var behavior: RotationBehavior
    var reuse: ReusePolicy
    var hasRefreshToken = true
    package var renewsByLogin = false
    package var giveUpAfter: Int?
    package var attempts: Int?
    package var renewsBeforeUse = false
    var refusalEnds = false
    package var secondRefusalEnds = false
    package var evidence = Evidence.lifetime
    var refreshIsStated = true
    package var logoutScopes: Set<LogoutScope> = []
    var serverOffset = 0.0
    /// One way through the network.
    package var transit: ClosedRange<Double>
    var vaultWrite: ClosedRange<Double> = 0.0002...0.01
    /// The time after which a process is notified of a write by another one, or `nil` if it never
    /// is.
    var vaultNotice: ClosedRange<Double>? = 0.001...0.05
    /// Whether the second process logs in as another user.
    var hasTwoSubjects = false

    /// The probability that each exchange meets a fault, and the faults.
    var exchangeFaults = 0.0
    package var faults: [Fault] = []
    /// The probability that each step kills its process.
    package var kills = 0.0
    /// The probability that each write fails, and each read.
    package var vaultFaults = 0.0
    /// The mean time between two such events, or `nil` if there are none.
    var betweenSuspends: Double?
    package var betweenWallSteps: Double?
    var betweenOutages: Double?
    var outage: ClosedRange<Double> = 1...2
    /// The probability that the network is away when the machine wakes.
    var outageAfterSleep = 0.0
    var betweenUserActions: Double?
    var betweenRequests: Double
    var betweenCalls: Double
    /// Requests are sent at regular intervals until then, and every hour afterwards; at random if
    /// `nil`.
    var regularUntil: Double?
    /// The probability that an event's text is searched for tokens.
    var searches = 0.0

    package var feed = FeedScenario.none

    /// The dialect of the requests and responses, or `nil` to exchange values, which is faster.
    package var dialect: Dialect?
    /// Whether a user logs in again after the session has ended.
    var signsInAgain = true
    /// Whether that user logs in even where another process has begun a session in the meantime.
    var signsInTwice = true
    var lead: Double?

    /// The system ends after this number of new pairs, of steps or of seconds, whichever comes
    /// first.
    package var pairLimit = 1_000
    package var stepLimit = 60_000
    var timeLimit = 3_000_000_000.0
}

extension Scenario {
    /// As most backends have it: only the logout everywhere takes an access token.
    var logoutNeeds: [LogoutScope: LogoutNeeds] {
        Dictionary(
            uniqueKeysWithValues: logoutScopes.map { scope in
                (scope, LogoutNeeds(refresh: true, access: scope == .everywhere))
            }
        )
    }

    /// For the first line of a report.
    package var description: String {
        let access = ElapsedFormatter.text(accessLifetime)
        let refresh = ElapsedFormatter.text(refreshLifetime)
        let sliding = refreshSlides ? "sliding" : "absolute"
        return "\(kind.rawValue): \(processes) processes, access \(access), refresh \(refresh) "
            + "\(sliding), rotation \(behavior.rawValue), reuse \(reuse.description)"
    }
}

extension ReusePolicy {
    var description: String {
        switch self {
        case .none: "never noticed"
        case .strict: "refused"
        case .strictRevokeFamily: "ends the session"
        case .grace(let seconds): "forgiven for \(ElapsedFormatter.text(seconds))"
        case .graceForks(let seconds): "forks for \(ElapsedFormatter.text(seconds))"
        case .oldLivesUntilNewUsed: "until the new one is used"
        }
    }
}
