/// What a check does, and how fast.
package struct CheckOptions: Sendable, Hashable {
    package var probes: [ProbeName]
    /// How long a replaced refresh token is watched, in seconds.
    package var maxWait: Double
    /// The time in which the check should end, in seconds; what is left is not refined.
    package var budget: Double
    /// The least time between two requests, in seconds.
    package var interval: Double

    package static let quick: [ProbeName] = [
        .reach, .login, .accept, .refresh, .errors, .reuse, .depth, .untilUsed, .race, .logout,
    ]

    package init(
        probes: [ProbeName] = ProbeName.allCases,
        maxWait: Double = 65,
        budget: Double = 88,
        interval: Double = 0.5
    ) {
        self.probes = probes.sorted()
        self.maxWait = maxWait
        self.budget = budget
        self.interval = interval
    }

    /// The probes that run one after the other, in groups that do; those in one group run at once.
    var groups: [[[ProbeName]]] {
        func chosen(_ names: [ProbeName]) -> [ProbeName] { names.filter(probes.contains) }
        let first: [ProbeName] = [
            .reach, .login, .accept, .refresh, .errors, .reuse, .depth, .untilUsed,
        ]
        return [
            [chosen(first)],
            [chosen([.window]), chosen([.race, .lost]), chosen([.expiry])],
            [chosen([.logout, .logoutAll])],
        ]
    }
}

/// What a check will send, before it begins.
package struct CheckPlan: Sendable {
    package let probes: [(name: ProbeName, cost: ProbeCost)]
    package let total: ProbeCost
    /// The estimated duration, in seconds.
    package let seconds: Double

    package init(_ options: CheckOptions) {
        probes = options.probes.map { ($0, $0.probe.cost(options)) }
        total = probes.reduce(ProbeCost()) { $0 + $1.cost }
        let costs = Dictionary(uniqueKeysWithValues: probes.map { ($0.name, $0.cost) })
        func duration(_ names: [ProbeName]) -> Double {
            names.compactMap { costs[$0] }.reduce(0) { sum, cost in
                sum + cost.seconds + Double(cost.requests) * options.interval
            }
        }
        seconds = options.groups.reduce(0) { $0 + ($1.map(duration).max() ?? 0) }
    }
}
