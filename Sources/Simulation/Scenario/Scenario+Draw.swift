import Backend
import Basics
import Model
import Profiles

extension Scenario {
    /// Each kind gets its share of the seeds.
    private static let shares: [(kind: ScenarioKind, share: Int)] = [
        (.healthy, 12), (.siblings, 8), (.lossWithGrace, 7), (.lossWithoutGrace, 7), (.outages, 6),
        (.clocks, 4), (.storm, 28), (.repeatedFault, 13), (.impatientUsers, 10),
        (.frequentSleep, 5),
    ]

    /// From a second to a month, in seconds.
    private static let lifetimes: ClosedRange<Double> = 1...2_592_000

    package init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        self.init(kind: Self.kind(&random), drawing: &random)
    }

    package init(kind: ScenarioKind, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        _ = Self.kind(&random)
        self.init(kind: kind, drawing: &random)
    }

    private static func kind(_ random: inout SeededGenerator) -> ScenarioKind {
        let total = shares.reduce(0) { $0 + $1.share }
        var draw = Int.random(in: 0..<total, using: &random)
        for (kind, share) in shares {
            if draw < share { return kind }
            draw -= share
        }
        return .storm
    }

    private init(kind: ScenarioKind, drawing random: inout SeededGenerator) {
        let access = random.logUniform(Self.lifetimes)
        let behaviors: [RotationBehavior] = [
            .replaces, .replaces, .replaces, .keeps, .keepsSilently,
        ]
        let behavior = behaviors.drawn(&random)
        let refresh = max(access, random.logUniform(max(access, 60)...Self.lifetimes.upperBound))
        let slowest = access / 10
        self.init(
            kind: kind,
            processes: Int.random(in: 2...5, using: &random),
            accessLifetime: access,
            refreshLifetime: refresh,
            refreshSlides: behavior == .replaces || Bool.random(using: &random),
            rotation: behavior == .replaces ? .always : behavior == .keeps ? .never : .maybe,
            behavior: behavior,
            reuse: Self.reuse(&random),
            transit: 0.01...min(0.4, slowest / 2 - 0.01),
            betweenRequests: access * random.uniform(0.3...3),
            betweenCalls: access * random.uniform(0.3...3)
        )
        serverOffset = [0, random.uniform(-3600...3600)].drawn(&random)
        if Int.random(in: 0..<3, using: &random) > 0 { logoutScopes.insert(.this) }
        if !logoutScopes.isEmpty, Bool.random(using: &random) { logoutScopes.insert(.everywhere) }
        searches = 0.002
        switch kind {
        case .healthy, .clocks: drawHealthy(&random)
        case .siblings: drawSiblings(&random)
        case .lossWithGrace, .lossWithoutGrace: drawLosses(&random)
        case .outages: drawOutages(&random)
        case .storm: drawStorm(&random)
        case .repeatedFault: drawRepeatedFault(&random)
        case .impatientUsers: drawImpatientUsers(&random)
        case .frequentSleep: drawFrequentSleep(&random)
        }
        switch kind {
        case .healthy, .clocks, .siblings, .lossWithGrace, .lossWithoutGrace: break
        case .outages, .storm, .repeatedFault, .impatientUsers, .frequentSleep: drawRules(&random)
        }
        drawFeed(&random)
        if kind.isRough || kind == .outages { drawOtherRules(&random) }
    }

    /// Draws rules that some guides define for their clients.
    private mutating func drawRules(_ random: inout SeededGenerator) {
        if Int.random(in: 0..<5, using: &random) == 0 { attempts = 1 }
        secondRefusalEnds = Int.random(in: 0..<5, using: &random) == 0
    }

    private mutating func drawOtherRules(_ random: inout SeededGenerator) {
        if attempts == nil, Int.random(in: 0..<8, using: &random) == 0 { attempts = 3 }
        renewsBeforeUse = Int.random(in: 0..<5, using: &random) == 0
        refusalEnds = Int.random(in: 0..<5, using: &random) == 0
    }

    private static func reuse(_ random: inout SeededGenerator) -> ReusePolicy {
        let grace = random.uniform(1...60)
        return [
            .none, .strict, .strictRevokeFamily, .strictRevokeFamily, .grace(seconds: grace),
            .graceForks(seconds: grace), .oldLivesUntilNewUsed,
        ].drawn(&random)
    }

    private mutating func drawHealthy(_ random: inout SeededGenerator) {
        if kind == .clocks {
            processes = 1
            betweenWallSteps = accessLifetime * random.uniform(0.5...4)
        } else {
            evidence = Evidence.allCases.drawn(&random)
        }
    }

    private mutating func drawSiblings(_ random: inout SeededGenerator) {
        behavior = .replaces
        rotation = .always
        refreshSlides = true
        reuse = [.strict, .strictRevokeFamily].drawn(&random)
        // No sleep is longer than the lifetime of the refresh token.
        accessLifetime = min(accessLifetime, Self.lifetimes.upperBound / 8)
        refreshLifetime = max(refreshLifetime, 8 * accessLifetime, 120)
        betweenSuspends = accessLifetime * random.uniform(3...30)
    }

    private mutating func drawLosses(_ random: inout SeededGenerator) {
        behavior = .replaces
        rotation = .always
        refreshSlides = true
        reuse =
            kind == .lossWithGrace
            ? .grace(seconds: random.uniform(30...120))
            : [.strict, .strictRevokeFamily].drawn(&random)
        // The wait for an answer that never comes must not eat the server's patience.
        accessLifetime = max(accessLifetime, 60)
        refreshLifetime = max(refreshLifetime, 3_600, accessLifetime)
        transit = 0.01...0.2
        exchangeFaults = kind == .lossWithGrace ? 0.1 : 0.01
        faults = [.dropAfterCommit, .truncatedBody]
        if kind == .lossWithoutGrace { faults.append(.errorAfterCommit) }
    }

    private mutating func drawOutages(_ random: inout SeededGenerator) {
        refreshSlides = true
        refreshLifetime = max(refreshLifetime, 86_400, 4 * accessLifetime)
        betweenOutages = max(accessLifetime * random.uniform(3...20), 600)
        outage = 1...min(7_200, max(30, 3 * accessLifetime))
    }
}

extension Array {
    func drawn(_ random: inout SeededGenerator) -> Element {
        self[Int.random(in: 0..<count, using: &random)]
    }
}
