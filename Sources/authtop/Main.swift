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
        StandardStreams.prepare()
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
            let message = mistypedCommand ?? failure.repeating(.ofProgram).message
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
        // first frame, and so are the default command and the version without the parser. The whole is
        // only parsed for what that does not accept: options of the default command, nested ones, help
        // and mistakes, whose messages name the way to the command.
        let words = arguments
        if isAboutCompletion { return try CompletedCommand.parseAsRoot() }
        if words.elementsEqual(["--version"]) {
            _ = StandardOutput.write(AuthtopCommand.configuration.version)
            ProgramExit.leave(0)
        }
        // Without a terminal, what `authtop` alone shows on one is printed.
        if words.isEmpty {
            return try StandardOutput.isTerminal ? WatchCommand.parse([]) : LocalCommand.parse([])
        }
        let named = AuthtopCommand.subcommands.first { $0.name == words.first }
        return try (try? named?.command.parse(Array(words.dropFirst())))
            ?? AuthtopCommand.parseAsRoot(words)
    }

    /// The command line, in which `--forward` of `--demo` needs no hosts.
    private static var arguments: [String] {
        var words = Array(CommandLine.arguments.dropFirst())
        let isDemo = words.contains { $0 == "--demo" }
        guard isDemo, words.starts(with: ["proxy"]),
            let place = words.firstIndex(where: { $0 == "--forward" })
        else { return words }
        let next = words.indices.contains(place + 1) ? words[place + 1] : "--"
        if next.begins(with: "-") { words.insert(ProxyDemo.host, at: place + 1) }
        return words
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
        let isHelpOfNothing =
            CommandLine.arguments.dropFirst().starts(with: ["help"]) && mistypedCommand != nil
        guard AuthtopCommand.exitCode(for: error) != .success || isHelpOfNothing else {
            _ = StandardOutput.write(HelpText.ordered(message))
            ProgramExit.leave(0)
        }
        StandardError.write(mistypedCommand.map { "authtop: \($0)" } ?? message)
        ProgramExit.leave(CommandFailure.Exit.badInput.rawValue)
    }

    /// The message for a word in place of a command that is nearly one, or `nil` if all words name
    /// commands or profiles, or are near to none.
    ///
    /// The parser takes such a word for a profile, and shows the help of what comes before it.
    private static var mistypedCommand: String? {
        var words = CommandLine.arguments.dropFirst()
        if words.starts(with: ["help"]) { words = words.dropFirst() }
        var path: [String] = []
        var commands = AuthtopCommand.subcommands
        while let next = commands.first(where: { $0.name == words.first }) {
            path.append(next.name)
            words = words.dropFirst()
            commands = next.command.subcommands
        }
        guard let word = words.first, !word.begins(with: "-"), !commands.isEmpty,
            !LiveEnvironment().catalogue.entries.contains(where: { $0.name == word })
        else { return nil }
        if path.isEmpty, word == "simulate" {
            return "the simulation is a program of its own: "
                + "swift run -c release authtop-lab simulate"
        }
        let inner = commands.first { $0.command.subcommands.contains { $0.name == word } }
        guard
            let near = inner.map({ "\($0.name) \(word)" })
                ?? NearestKey.of(word, among: commands.map(\.name))
        else { return nil }
        let typed = (path + [word.inOneLine(limit: 60)]).joined(separator: " ")
        let meant = (path + [near]).joined(separator: " ")
        return "there is no command \"\(typed)\": did you mean \(meant)?"
    }
}

extension ParsableCommand {
    /// The commands below this one, by their names.
    fileprivate static var subcommands: [(name: String, command: any ParsableCommand.Type)] {
        configuration.subcommands.compactMap { command in
            command.configuration.commandName.map { ($0, command) }
        }
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
            LocalCommand.self,
            DemoCommand.self,
            WatchCommand.self,
            ProxyCommand.self,
            LoginCommand.self,
            LogoutCommand.self,
            RefreshCommand.self,
            RequestCommand.self,
            TokenCommand.self,
            ExecCommand.self,
            ServeCommand.self,
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
