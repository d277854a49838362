import ArgumentParser
import Backend
import Sandbox

/// How the built-in backend misbehaves.
struct BackendOptions: ParsableArguments {
    /// In place of a fault's name: they come and go by the seed.
    private static let random = "random"

    @Option(
        help: ArgumentHelp(
            """
            Faults that are on from the beginning, with commas between; with "random" they come \
            and go by the seed.
            """,
            discussion: """
                Each is \(FaultSetting.syntax): drop-after-commit:once:refresh, \
                server-error:p=0.2, feed-close:code=4401.

                \(BackendOptions.list)
                """,
            valueName: "name,…"
        )
    )
    var faults: [String] = []

    @Option(
        help: ArgumentHelp(
            "What a spent refresh token still does: \(ReusePolicy.names.joined(separator: ", ")).",
            discussion: """
                none: it is as good as new. strict: it is refused. strict-revoke: it is refused, \
                and its session ends. grace: for 30 s it gives the same successor once more \
                (grace:seconds=10 for 10). grace-forks: each use gives another successor. \
                old-lives: it lives until a token it was exchanged for is used.
                """,
            valueName: "policy"
        )
    )
    var reuse = "strict"

    /// Puts them into a configuration.
    ///
    /// - Parameters:
    ///   - configuration: Of the sandbox.
    ///   - seed: Of the schedule, where faults come and go.
    /// - Returns: The configuration with them.
    /// - Throws: `CommandFailure`, for what is no fault and no policy.
    func added(
        to configuration: SandboxConfiguration,
        seed: UInt64
    ) throws -> SandboxConfiguration {
        var configuration = configuration
        do throws(ReusePolicyError) {
            configuration.reuse = try ReusePolicy(parsing: reuse)
        } catch {
            throw CommandFailure(.badInput, "--reuse: \(error)")
        }
        for text in faults.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
            guard text.filter({ $0 != " " }) != Self.random else {
                configuration.faultSchedule = seed
                continue
            }
            do throws(FaultSettingError) {
                configuration.faults.append(try FaultSetting(parsing: text))
            } catch {
                throw CommandFailure(.badInput, "--faults: \(error)")
            }
        }
        return configuration
    }

    private static var list: String {
        let lines = KnownFault.all.map { fault in
            let number = fault.parameter.map { ":\($0.name.rawValue)=N" } ?? ""
            return (fault.name + number, fault.summary)
        }
        let width = lines.map(\.0.count).max() ?? 0
        return lines.map { "\($0.padded(to: width))  \($1)" }.joined(separator: "\n")
    }
}
