import ArgumentParser
import Client
import Profiles

/// The options for many sessions.
struct PopulationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Watch a session for each user in a file of mode 0600.",
            discussion: """
                A file of TOML with a table for each, such as [alice], whose keys are the \
                credentials of the profile, or NAME_command as in a profile.
                """,
            valueName: "file"
        ),
        completion: .file(extensions: ["toml"])
    )
    var users: String?

    @Option(
        help: ArgumentHelp(
            "Only one of N equal parts of the users, such as 2/4.",
            valueName: "k/n"
        )
    )
    var shard: ShardArgument?

    @Option(
        name: .customLong("max-inflight"),
        help: ArgumentHelp(
            "The largest number of logins and renewals at a time (default: 64).",
            valueName: "n"
        )
    )
    var maximum: Int?

    private static let usualMaximum = 64
    private static let largestMaximum = 10_000

    func validate() throws {
        guard shard == nil || users != nil else {
            throw ValidationError("--shard is for a population: name its file with --users")
        }
        if let maximum, !(1...Self.largestMaximum).contains(maximum) {
            throw ValidationError("--max-inflight \(maximum): expected 1 to \(Self.largestMaximum)")
        }
    }

    /// Returns the users of a profile, or `nil` if it has one session.
    ///
    /// - Parameters:
    ///   - chosen: The profile.
    ///   - environment: The environment.
    /// - Returns: Those of the file that belong to the shard.
    /// - Throws: `CommandFailure` with the file, the line and the key of a mistake.
    func population(
        of chosen: ChosenProfile,
        in environment: LiveEnvironment
    ) async throws -> Population? {
        guard let users else { return nil }
        return try await Population(file: users, shard: shard?.shard, of: chosen, in: environment)
    }

    /// Returns where the logins and renewals of a run wait for their turn.
    ///
    /// - Parameter permit: Until when they may begin, or `nil` for no end.
    /// - Returns: The same for all sessions.
    func admission(until permit: FlightPermit?) -> FlightAdmission {
        FlightAdmission(limit: maximum ?? Self.usualMaximum, permit: permit)
    }
}

/// A part of the users, such as `2/4`.
struct ShardArgument: ExpressibleByArgument, Sendable, Hashable {
    let shard: UserShard

    init?(argument: String) {
        guard let shard = UserShard(argument) else { return nil }
        self.shard = shard
    }
}
