import ArgumentParser
import Backend
import Basics
import Model
import Sandbox

/// Options for the faults and the reuse policy of the built-in backend.
struct BackendOptions: ParsableArguments {
    /// The word in place of a fault's name that selects a random schedule.
    private static let random = "random"

    @Option(
        help: ArgumentHelp(
            """
            The faults that are on from the start, comma-separated; "random" sets them by a \
            schedule from the seed.
            """,
            discussion: """
                Each is \(FaultSetting.syntax): drop-after-commit:once:refresh, \
                server-error:p=0.2, feed-close:code=4401. One that ends in @30s begins after \
                that time.

                \(BackendOptions.list)
                """,
            valueName: "name,…"
        ),
        completion: .commaSeparated(Fault.ofBackend.map(\.name) + [BackendOptions.random])
    )
    var faults: [String] = []

    @Option(
        help: ArgumentHelp(
            "What happens when a spent refresh token is used: \(ReusePolicy.names.joined(separator: ", ")).",
            discussion: """
                none: it is accepted. strict: it is rejected. strict-revoke: it is rejected, \
                and its session ends. grace: for 30 s it yields the same successor once more \
                (grace:seconds=10 for 10). grace-forks: each use yields another successor. \
                old-lives: it stays valid until one of its successors is used.
                """,
            valueName: "policy"
        ),
        completion: .list(ReusePolicy.names)
    )
    var reuse = "strict"

    /// The settings of all options, one by one.
    var faultSettings: [String] {
        faults.flatMap { $0.parts(at: ",", keepsEmpty: true) }
            .map { String($0.trimmingBlanks) }
    }

    /// Returns a configuration with these options applied.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the sandbox.
    ///   - seed: The seed of a random schedule.
    /// - Returns: The configuration with the options.
    /// - Throws: `CommandFailure` for an unknown fault or policy.
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
        for text in faultSettings {
            guard text != Self.random else {
                configuration.faultSchedule = seed
                continue
            }
            do throws(FaultSettingError) {
                configuration.faults.append(try FaultSetting(parsing: text, at: .backend))
            } catch {
                throw CommandFailure(.badInput, "--faults: \(error)")
            }
        }
        return configuration
    }

    private static var list: String {
        let lines = Fault.ofBackend.map { fault in
            let numbers = fault.parameters.map { ":\($0.name.rawValue)=N" }.joined()
            return (fault.name + numbers, fault.sentence)
        }
        let width = lines.map(\.0.count).max() ?? 0
        return lines.map { "\($0.padded(to: width))  \($1)" }.joined(separator: "\n")
    }
}
