package import Profiles

/// Where the sessions of a check come from.
package enum LoginSource: Sendable, Hashable {
    /// The login of the profile.
    case profile
    /// A command of the user, which the caller runs.
    case command
    /// Tokens that the user has imported: the only session.
    case imported
}

/// The extent of a check, and its speed.
package struct CheckOptions: Sendable, Hashable {
    package var probes: [ProbeName]
    /// The time for which a replaced refresh token is watched, in seconds.
    var maxWait: Double
    /// The time in which the check should end, in seconds; what is left is not refined.
    var budget: Double
    /// The least time between two requests, in seconds.
    var interval: Double
    package var logins = LoginSource.profile
    /// The largest number of sessions that it may use, or `nil` for as many as the probes need.
    package var families: Int?
    /// Whether a login with a wrong password is sent, for which a backend may lock the user out.
    package var sendsWrongPassword = false
    /// Whether the profile has a refresh: otherwise the probes of refresh tokens send nothing.
    private(set) var hasRefresh = true

    /// The probes of a check that names none, but for those of a resource and of a nonce.
    package static let standard = ProbeName.allCases.filter {
        !$0.endsOtherSessions && ![.resource, .nonce].contains($0)
    }

    package static let quick: [ProbeName] = [
        .reach, .login, .accept, .refresh, .errors, .reuse, .depth, .untilUsed, .race, .logout,
    ]

    /// Returns the probes of a check that names none: that of a resource only where requests name one,
    /// and that of a nonce only where they have proofs.
    package static func probes(of dialect: Dialect, isQuick: Bool) -> [ProbeName] {
        (isQuick ? quick : standard) + (dialect.resource == nil ? [] : [.resource])
            + (dialect.bindsTokens ? [.nonce] : [])
    }

    package init(
        probes: [ProbeName] = CheckOptions.standard,
        maxWait: Double = 65,
        budget: Double = 88,
        interval: Double = 0.5
    ) {
        self.probes = probes.sorted()
        self.maxWait = maxWait
        self.budget = budget
        self.interval = interval
    }

    /// Returns the options for a profile, which may lack what some probes need.
    func fitted(to dialect: Dialect) -> CheckOptions {
        var options = self
        options.hasRefresh = dialect.hasRefreshToken
        return options
    }

    /// The time for which the feed is watched once the probes beside it are over, in seconds.
    var endingOfFeed: Double { probes.contains(.feed) ? FeedProbe.ending : 0 }

    /// The probes that run one after the other, in groups that do; those in one group run at once.
    var groups: [[[ProbeName]]] {
        let affordable = affordable
        func chosen(_ names: [ProbeName]) -> [ProbeName] {
            names.filter { affordable.contains($0) && $0 != continuing }
        }
        let home = chosen([.reach, .login, .accept, .refresh, .errors])
        let next = continuing.map { affordable.contains($0) ? [$0] : [] } ?? []
        return [
            [home + next + chosen([.reuse, .depth, .untilUsed, .resource, .nonce])],
            // Nothing is to be known of other sessions while one is logged out.
            [chosen([.logout, .logoutAll])],
            [chosen([.window]), chosen([.race, .lost]), chosen([.expiry]), chosen([.feed])],
        ]
    }
}

/// The probes of a check whose sessions are limited.
extension CheckOptions {
    /// The probe that goes on with the first session, in one probe session.
    var continuing: ProbeName? {
        guard families != nil else { return nil }
        let names: Set<ProbeName> = [.reuse, .depth, .untilUsed, .window, .race, .lost, .logout]
        return probes.first { names.contains($0) && sends($0) }
    }

    /// Whether a probe has something to send.
    private func sends(_ name: ProbeName) -> Bool {
        hasRefresh || !ProbeName.refreshProbes.contains(name)
    }

    /// Whether some probe logs in before the one that goes on with its session.
    private var hasHome: Bool { probes.contains(where: ProbeName.sharedFamilyProbes.contains) }

    /// The probes for which the sessions suffice.
    var affordable: [ProbeName] {
        guard let families else { return probes }
        var left = families - (hasHome ? 1 : 0)
        return probes.filter { name in
            let logins =
                name == .reach || ProbeName.sharedFamilyProbes.contains(name)
                ? 0 : cost(name).logins
            guard logins <= left else { return false }
            left -= logins
            return true
        }
    }

    /// Returns the most that a probe sends.
    func cost(_ name: ProbeName) -> ProbeCost {
        guard sends(name) else { return ProbeCost() }
        var cost = name.probe.cost(self)
        if !hasRefresh {
            cost.requests -= cost.refreshes
            cost.refreshes = 0
        }
        if name == continuing { cost.logins = hasHome ? 0 : 1 }
        if logins == .imported {
            cost.requests -= min(cost.logins, 1)
            cost.logins = 0
        }
        return cost
    }
}

/// The requests that a check will send, before it begins.
package struct CheckPlan: Sendable {
    package let probes: [(name: ProbeName, cost: ProbeCost)]
    package let total: ProbeCost
    /// The estimated duration, in seconds.
    package let seconds: Double

    package init(_ options: CheckOptions, of dialect: Dialect) {
        let options = options.fitted(to: dialect)
        let affordable = options.affordable
        probes = options.probes.map { name in
            (name, affordable.contains(name) ? options.cost(name) : ProbeCost())
        }
        total = probes.reduce(ProbeCost()) { $0 + $1.cost }
        let costs = Dictionary(uniqueKeysWithValues: probes.map { ($0.name, $0.cost) })
        func duration(_ names: [ProbeName]) -> Double {
            names.compactMap { costs[$0] }.reduce(0) { sum, cost in
                sum + cost.seconds + Double(cost.requests) * options.interval
            }
        }
        seconds = options.groups.reduce(options.endingOfFeed) {
            $0 + ($1.map(duration).max() ?? 0)
        }
    }
}
