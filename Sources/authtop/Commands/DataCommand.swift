import ArgumentParser
import Tokens
import Vaults

struct DataCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "data",
        abstract: "What is kept of a profile: all of it out, or all of it gone.",
        discussion: """
            Of all backends of a built-in profile, unless --base-url names one; also of a profile \
            whose file is gone.
            """,
        subcommands: [ExportCommand.self, ForgetCommand.self]
    )

    struct ExportCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Print everything that is kept as one JSON object, tokens as fingerprints.",
            discussion: "Exit codes: 0 done, 1 nothing is kept, 2 bad input, 3 not all readable."
        )

        @OptionGroup var options: ProfileOptions

        @Flag(help: "Print the tokens themselves, once it is confirmed.")
        var reveal = false

        @Flag(name: .customLong("yes"), help: "Confirm --reveal without being asked.")
        var isConfirmed = false

        func run() async throws {
            let environment = LiveEnvironment()
            let stored = try options.storedProfiles(in: environment)
            if reveal {
                try Confirmation(
                    question: "The tokens themselves will be printed: whoever has them is you.",
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
            abstract: "End the session, and erase everything that is kept.",
            discussion: """
                The backend is notified of the logout where it can be. The record, the key where no \
                other record needs it, statistics, locks, and the lines of known logs are erased \
                in any case.

                Exit codes: 0 erased, 1 nothing is kept or not confirmed, 2 bad input, 3 not \
                erased, or erased without the backend's knowing.
                """
        )

        @OptionGroup var options: ProfileOptions

        @Flag(name: .customLong("yes"), help: "Do not ask.")
        var isConfirmed = false

        func run() async throws {
            let environment = LiveEnvironment()
            let stored = try options.storedProfiles(in: environment)
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
