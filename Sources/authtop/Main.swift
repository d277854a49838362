import ArgumentParser
import Basics
import Platform
import Profiles
import UI

@main
enum Main {
    /// The fewest open files with which every command works.
    private static let leastOpenFiles = 64

    static func main() async {
        ProcessGuard.raise()
        let openFiles = OpenFileLimit.raise()
        do {
            var command = try command()
            guard openFiles >= leastOpenFiles else {
                throw CommandFailure(
                    .badInput,
                    "the system allows \(openFiles) open files (ulimit -n): expected at least "
                        + "\(leastOpenFiles)"
                )
            }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            let message = mistypedCommand ?? failure.message
            StandardError.write("authtop: \(message.visibleInOneLine)")
            ProgramExit.leave(failure.exit.rawValue)
        } catch {
            leave(with: error)
        }
        ProgramExit.leave(0)
    }

    /// Parses the command line.
    private static func command() throws -> any ParsableCommand {
        // A command that is named first is parsed alone, which saves half a millisecond before the
        // first frame, and so would the parser's own option of the version. The whole is only parsed
        // for what that does not accept: the default command, nested ones, help and mistakes, whose
        // messages name the way to the command.
        let words = CommandLine.arguments.dropFirst()
        if isAboutCompletion { return try CompletedCommand.parseAsRoot() }
        if words.elementsEqual(["--version"]) {
            throw CleanExit.message(AuthtopCommand.configuration.version)
        }
        let commands = AuthtopCommand.configuration.subcommands
        let named = commands.first { $0.configuration.commandName == words.first }
        return try (try? named?.parse(Array(words.dropFirst()))) ?? AuthtopCommand.parseAsRoot()
    }

    /// Whether a shell asks for its script, or for the names of something.
    private static var isAboutCompletion: Bool {
        CommandLine.arguments.dropFirst().first.map {
            $0 == "---completion" || $0.begins(with: "--generate-completion-script")
        } ?? false
    }

    /// Help and versions go to stdout; a command line that cannot be parsed is bad input.
    private static func leave(with error: any Error) -> Never {
        if let exit = error as? ExitCode { ProgramExit.leave(exit.rawValue) }
        let message =
            isAboutCompletion
            ? CompletedCommand.fullMessage(for: error) : AuthtopCommand.fullMessage(for: error)
        guard AuthtopCommand.exitCode(for: error) != .success else {
            _ = StandardOutput.write(message)
            ProgramExit.leave(0)
        }
        StandardError.write(mistypedCommand.map { "authtop: \($0)" } ?? message)
        ProgramExit.leave(CommandFailure.Exit.badInput.rawValue)
    }

    /// The message for a first argument that is nearly a command, or `nil` if it names a command or
    /// a profile, or is near to none.
    ///
    /// The parser takes such a word for a profile to watch.
    private static var mistypedCommand: String? {
        let commands = AuthtopCommand.configuration.subcommands.compactMap {
            $0.configuration.commandName
        }
        let profiles = LiveEnvironment().catalogue.entries.map(\.name)
        guard let word = CommandLine.arguments.dropFirst().first,
            !commands.contains(word), !profiles.contains(word)
        else { return nil }
        guard word != "simulate" else {
            return "the simulation is a program of its own: "
                + "swift run -c release authtop-lab simulate"
        }
        guard let near = NearestKey.of(word, among: commands) else { return nil }
        return "there is no command \"\(word.inOneLine(limit: 60))\": did you mean \(near)?"
    }
}

struct AuthtopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authtop",
        abstract: "top for auth sessions: watch tokens live, renew, log out, see why they die.",
        discussion: """
            Start with `authtop demo`, which includes a backend.

            Exit codes: 0 done, 1 the session ended or was refused, 2 bad input, \
            3 not reachable.
            """,
        version: "0.1.0",
        subcommands: [
            DemoCommand.self,
            WatchCommand.self,
            ProxyCommand.self,
            LoginCommand.self,
            LogoutCommand.self,
            RefreshCommand.self,
            RequestCommand.self,
            TokenCommand.self,
            ExecCommand.self,
            StatusCommand.self,
            DataCommand.self,
            SessionsCommand.self,
            LockCommand.self,
            ReplayCommand.self,
            ExportCommand.self,
            InspectCommand.self,
            SandboxCommand.self,
            ProfilesCommand.self,
            CheckCommand.self,
            ForecastCommand.self,
        ],
        defaultSubcommand: WatchCommand.self
    )
}

/// The commands as a shell completes them: `authtop proxy` with the options of its default command,
/// which the parser's scripts do not follow.
private struct CompletedCommand: ParsableCommand {
    static let configuration: CommandConfiguration = {
        var configuration = AuthtopCommand.configuration
        configuration.subcommands = configuration.subcommands.map { command in
            command == ProxyCommand.self ? CompletedProxyCommand.self : command
        }
        return configuration
    }()
}

private struct CompletedProxyCommand: ParsableCommand {
    static let configuration = ProxyCommand.configuration

    @OptionGroup var run: ProxyRunOptions
}
