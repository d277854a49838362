import Basics
import Client
import Model
import Observer
import Platform
import Profiles
import UI

/// The profiles that a run watches, in the order in which they were named.
struct WatchTargets: Sendable {
    let profiles: [ChosenProfile]
    let ids: [SessionID]

    /// Creates the targets from names.
    ///
    /// - Throws: `CommandFailure` for a profile that cannot be used, or that was named twice.
    init(
        named names: [String],
        on connection: ConnectionOptions,
        in environment: LiveEnvironment
    ) async throws {
        var profiles: [ChosenProfile] = []
        for name in names {
            profiles.append(try await connection.openedProfile(named: name, in: environment))
        }
        try self.init(profiles)
    }

    /// Creates the targets of `--all`.
    ///
    /// They are every stored session whose profile still exists, and every profile that defines the
    /// base URL and whose credentials are all available. Those that are left out are reported on
    /// stderr with the reason.
    ///
    /// - Throws: `CommandFailure` if there are none.
    init(allOn connection: ConnectionOptions, in environment: LiveEnvironment) async throws {
        var profiles = try await connection.storedSessions(in: environment)
        for entry in environment.catalogue.entries {
            do {
                guard try environment.catalogue.profile(named: entry.name).namesBackend else {
                    continue
                }
                let chosen = try await connection.openedProfile(named: entry.name, in: environment)
                guard !profiles.contains(where: { $0.record == chosen.record }) else { continue }
                if await !chosen.mayHoldSession(),
                    let problem = try await chosen.credentials
                        .findWithoutAsking(chosen.dialect.credentials).problems.first
                {
                    // A profile that comes with the program is not one that its user has set up.
                    guard entry.file != nil else { continue }
                    throw CommandFailure(.badInput, CauseText().text(problem))
                }
                profiles.append(chosen)
            } catch let failure as CommandFailure {
                StandardError.write("authtop: \(entry.name) is left out: \(failure.message)")
            }
        }
        guard !profiles.isEmpty else {
            throw CommandFailure(
                .badInput,
                "--all: no session is stored, and no profile has a base_url and its credentials "
                    + "available"
            )
        }
        try self.init(profiles)
    }

    private init(_ profiles: [ChosenProfile]) throws {
        var records: Set<[String]> = []
        for profile in profiles where !records.insert(profile.record).inserted {
            throw CommandFailure(
                .badInput,
                "\(profile.name) at \(profile.origin.description) is named twice"
            )
        }
        self.profiles = profiles
        ids = SessionID.ids(of: profiles.map { ($0.name, $0.origin.description) })
    }

    /// Creates the plans of all sessions concurrently.
    ///
    /// - Parameter make: Creates the plan of a profile.
    /// - Returns: The plans, in the order of the profiles.
    /// - Throws: The errors of `make`.
    func plans(
        _ make: @escaping @Sendable (SessionID, ChosenProfile) async throws -> SessionPlan
    ) async throws -> [SessionPlan] {
        let pairs = Array(zip(ids, profiles))
        return try await withThrowingTaskGroup(of: (Int, SessionPlan).self) { group in
            for (index, (id, profile)) in pairs.enumerated() {
                group.addTask { (index, try await make(id, profile)) }
            }
            var plans: [Int: SessionPlan] = [:]
            for try await (index, plan) in group { plans[index] = plan }
            return pairs.indices.compactMap { plans[$0] }
        }
    }
}

extension ChosenProfile {
    /// The values that name its record.
    fileprivate var record: [String] { [name, origin.description] }
}
