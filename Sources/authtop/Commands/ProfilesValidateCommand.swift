import ArgumentParser
import Basics
import Client
import Model
import Observer
import Platform
import Profiles
import UI

extension ProfilesCommand {
    struct ValidateCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "validate",
            abstract: "Check a profile's file: exit 0 with a summary, or 2 with the mistake.",
            usage: "authtop profiles validate [<options>] <file>",
            discussion: """
                With --try it also logs in, renews once, sends the protected request and logs out again, and reports which keys \
                of the profile matched the answers. Nothing is stored. A file that is called \
                recognition.toml is checked as one that adds to what is recognized without a profile.

                Exit codes without --try: 0 valid, 2 bad input, 3 the profile's issuer is not \
                reachable; of --try: 0 logged in, renewed and accepted, 1 refused, 2 bad input or not \
                understood by the backend, 3 not reachable.
                """
        )

        @Argument(help: "The file, or the name of a profile.", completion: .profiles)
        var file: String

        @Flag(name: .customLong("try"), help: "Log in, renew once, and log out again.")
        var tries = false

        @Flag(
            name: .customLong("yes"),
            help: "With --try: do not ask before a backend on another machine is used."
        )
        var isConfirmed = false

        @OptionGroup(title: "Connection") var connection: ConnectionOptions

        func run() async throws {
            let environment = LiveEnvironment()
            if file.parts(at: "/").last.map(String.init) == Recognition.fileName {
                return try checkRecognition()
            }
            let profile = try await environment.profile(
                named: file,
                caFile: connection.trust.caFile
            )
            // What watch refuses is refused here as well.
            if profile.baseURL ?? connection.baseURL != nil {
                _ = try await connection.chosen(profile, in: environment)
            } else {
                _ = try profile.namedOrigins(allowsInsecure: connection.allowsInsecure)
                _ = try await profile.signingKey(in: environment)
                StandardError.write("warning: no base_url: commands that use it need --base-url")
            }
            for warning in profile.warnings {
                StandardError.write("warning: \(warning)".visibleInOneLine)
            }
            let summary = "\(profile.files[0]): \(profile.summary)".visibleInOneLine
            guard StandardOutput.write(summary), tries else { return }
            try await attempt(in: environment)
        }

        private func checkRecognition() throws {
            guard !tries else {
                throw CommandFailure(.badInput, "--try: expected a profile, found \(file)")
            }
            let recognition = try DialectCatalogue.recognition(in: file)
            let count = recognition.count - Recognition.builtIn.count
            let summary =
                "\(file): valid, adds \(CountFormatter.count(count, "entry", plural: "entries"))"
            _ = StandardOutput.write(summary.visibleInOneLine)
        }

        private func attempt(in environment: LiveEnvironment) async throws {
            guard connection.vault.vault == nil else {
                throw CommandFailure(.badInput, "--try keeps no session: omit --vault")
            }
            var connection = connection
            connection.vault.vault = VaultKind.memory.name
            let chosen = try await connection.profile(named: file, in: environment)
            try Confirmation(
                question: "log in to \(chosen.origin), renew once, and log out again?",
                option: "--yes"
            )
            .obtain(isGiven: isConfirmed || chosen.origins.areLoopback)
            let recorder = TrialRecorder()
            var run = OperationRun(
                chosen: chosen,
                credentials: try await chosen.foundCredentials(),
                printsEvents: false,
                log: nil,
                environment: environment,
                signIn: .browser
            )
            run.recorder = recorder
            let result: Result<String, any Error>
            do {
                result = .success(try await run.tryProfile())
            } catch {
                result = .failure(error)
            }
            let trial = ProfileTrial(of: chosen.dialect, recorder.all)
            for line in TrialText(trial: trial).lines {
                guard StandardOutput.write(line.visibleInOneLine) else { return }
            }
            _ = StandardOutput.write("\(chosen.name): \(try result.get())")
        }
    }
}

/// The report on a trial.
struct TrialText {
    let trial: ProfileTrial

    var lines: [String] {
        let width = trial.keys.map(\.key.count).max() ?? 0
        let keys = trial.keys.map { key in
            "  \(key.key.padded(to: width))  \(text(key.use))  \(key.value)"
        }
        return keys + unread + suggestions
    }

    private func text(_ use: ProfileTrial.Use) -> String {
        switch use {
        case .matched: "matched      "
        case .neverNeeded: "never needed "
        case .didNotMatch: "did not match"
        }
    }

    private var unread: [String] {
        ProfileTrial.TrialStep.allCases.compactMap { kind in
            let places = trial.unread.filter { $0.exchange == kind }.map(\.place)
            guard !places.isEmpty else { return nil }
            return "no key reads, in the answer to the \(kind.rawValue): "
                + places.joined(separator: ", ")
        }
    }

    private var suggestions: [String] {
        trial.suggestions.map { suggestion in
            "\(suggestion.place) is in the answer to the \(suggestion.exchange.rawValue): add "
                + suggestion.line
        }
    }
}
