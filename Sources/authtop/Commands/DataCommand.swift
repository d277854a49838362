import ArgumentParser
import Basics
import Platform

struct DataCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "data",
        abstract: "Export or erase everything that is stored for a profile.",
        discussion: """
            For a built-in profile, this covers all its backends, unless --base-url names one. It \
            also works for a profile whose file no longer exists.
            """,
        subcommands: [ExportCommand.self, ForgetCommand.self]
    )

    struct ExportCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Print everything that is stored as one JSON object, tokens as fingerprints.",
            usage: "authtop data export [<options>] <profile>",
            discussion: "Exit codes: 0 done, 1 nothing is stored, 2 bad input, 3 not all readable."
        )

        @OptionGroup var options: ProfileOptions

        @Flag(help: "Print the tokens themselves, after a confirmation.")
        var reveal = false

        @Flag(name: .customLong("yes"), help: "Confirm --reveal without being asked.")
        var isConfirmed = false

        func run() async throws {
            let environment = LiveEnvironment()
            let stored = try await options.storedProfiles(in: environment)
            if reveal {
                try Confirmation(
                    question: "The tokens themselves will be printed: they give full access.",
                    option: "--yes"
                ).obtain(isGiven: isConfirmed)
            }
            let fingerprinter = environment.fingerprinter()
            var export = DataExport(
                of: stored[0].location.profile,
                fingerprinter: fingerprinter
            ) { [reveal] secret in
                .string(
                    reveal ? secret.reveal() : fingerprinter.fingerprint(of: secret).description
                )
            }
            for session in stored { await export.add(session) }
            _ = StandardOutput.write(export.json.serialized)
            guard export.isWhole else { throw ExitCode(CommandFailure.Exit.unreachable.rawValue) }
        }
    }

    struct ForgetCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget",
            abstract: "End the session, and erase everything that is stored.",
            usage: "authtop data forget [<options>] <profile>",
            discussion: """
                The backend is notified of the logout if possible. The record, the key unless another \
                record needs it, statistics, locks, and the lines of known logs are erased \
                in any case.

                Exit codes: 0 erased, 1 nothing is stored or not confirmed, 2 bad input, 3 not \
                erased, or erased without notifying the backend.
                """
        )

        @OptionGroup var options: ProfileOptions

        @Flag(name: .customLong("yes"), help: "Do not ask.")
        var isConfirmed = false

        func run() async throws {
            let environment = LiveEnvironment()
            let stored = try await options.storedProfiles(in: environment)
            let backends = stored.map(\.location.baseURL).joined(separator: ", ")
            try Confirmation(
                question:
                    "Everything of \(stored[0].location.profile) at \(backends) will be erased.",
                option: "--yes"
            ).obtain(isGiven: isConfirmed)
            var isRevoked = true
            for session in stored {
                let isThisRevoked = try await Erasure(stored: session, environment: environment)
                    .run()
                isRevoked = isRevoked && isThisRevoked
            }
            guard isRevoked else { throw ExitCode(CommandFailure.Exit.unreachable.rawValue) }
        }
    }
}
