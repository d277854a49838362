import Basics
import Client
import Model
import Observer
import Platform
import Profiles
import UI

/// The users of one profile whose sessions a run watches.
struct Population: Sendable {
    let chosen: ChosenProfile
    let users: [UserList.User]
    /// The credentials that all users have in common.
    let shared: FixedCredentials
    /// The vaults of the users, or `nil` if they end with the program.
    private let vaults: VaultGroup?
    /// The claim to their sessions, or `nil` if no other run can have them.
    let lease: PopulationLease?

    /// Reads the file.
    ///
    /// - Parameters:
    ///   - file: The path of the file.
    ///   - shard: The part of the users, or `nil` for all.
    ///   - chosen: Their profile.
    ///   - environment: The environment.
    /// - Throws: `CommandFailure` with the file, the line and the key of a mistake.
    init(
        file: String,
        shard: UserShard?,
        of chosen: ChosenProfile,
        in environment: LiveEnvironment
    ) async throws {
        self.chosen = chosen
        let names = chosen.dialect.credentials.map(\.name)
        shared = try await chosen.credentials.findWithoutAsking(chosen.dialect.credentials)
        let contents = try CredentialFile(path: file).exactContents(limit: UserList.sizeLimit)
        let all: [UserList.User]
        do throws(DialectError) {
            let given = Set(shared.values.keys)
            all = try UserList(contents, file: file, credentials: names, given: given).users
        } catch {
            throw CommandFailure(.badInput, error.description)
        }
        users = all.filter { shard?.contains($0.name) ?? true }
        guard !users.isEmpty else {
            let count = CountFormatter.count(all.count, "user")
            throw CommandFailure(.badInput, "\(file): none of \(count) is in this shard")
        }
        switch chosen.vault {
        case is MemoryVault: vaults = nil
        case let vault as SealedVault where vault.isFile:
            vaults = VaultGroup(of: chosen.localData.location, time: environment.time)
        default:
            throw CommandFailure(
                .badInput,
                "--users: expected the vault file or memory, not a credential helper"
            )
        }
        lease = vaults.map { PopulationLease(in: $0.owners, of: shard, in: environment) }
        try checkOpenFiles()
    }

    /// Fails if a feed for each session needs more sockets than there can be.
    private func checkOpenFiles() throws(CommandFailure) {
        let needed = users.count + Self.otherFiles
        let limit = OpenFileLimit.raise()
        guard chosen.dialect.hasFeed, needed > limit else { return }
        throw CommandFailure(
            .badInput,
            "\(chosen.name) has a feed, and \(users.count) sessions need \(needed) open files: "
                + "the system allows \(limit) (ulimit -n)"
        )
    }

    /// The open files besides the sockets of feeds.
    private static let otherFiles = 512

    /// Returns the plan of each session, in the order of the file.
    ///
    /// - Parameters:
    ///   - fingerprinter: The fingerprinter of the run.
    ///   - environment: The environment.
    /// - Returns: The plans.
    /// - Throws: `VaultProblem` if a vault is not available.
    func plans(
        fingerprinter: Fingerprinter,
        in environment: LiveEnvironment
    ) throws -> [SessionPlan] {
        let baseURL = chosen.origin.description
        return try users.map { user in
            var plan = chosen.plan(
                SessionID(user.name),
                with: credentials(of: user, in: environment),
                fingerprinter: fingerprinter,
                in: environment
            )
            plan.vault =
                try vaults?.vault(of: user.name, at: baseURL)
                ?? VaultKind.memory.vault(
                    for: chosen.localData.location,
                    in: VaultEnvironment(time: environment.time, variables: [:])
                )
            plan.localData = nil
            // Thousands of users cannot log in with a browser.
            plan.signIn = .never
            return plan
        }
    }

    private func credentials(
        of user: UserList.User,
        in environment: LiveEnvironment
    ) -> FixedCredentials {
        var own = shared
        own.values.merge(user.values) { $1 }
        for name in user.commands.keys { own.values[name] = nil }
        own.commands = user.commands.reduce(into: [:]) { commands, entry in
            commands[entry.key] = CredentialCommand(
                credential: entry.key,
                arguments: entry.value,
                variables: environment.variables,
                time: environment.time
            )
        }
        let values = own.values
        own.problems.removeAll { problem in
            values[problem.credential] != nil || user.commands[problem.credential] != nil
        }
        for name in user.values.keys { own.origins[name] = "from the file of --users" }
        return own
    }
}
