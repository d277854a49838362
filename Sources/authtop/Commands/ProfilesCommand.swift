import ArgumentParser
import Basics
import Profiles
import UI

struct ProfilesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profiles",
        abstract: "The kinds of backends that authtop knows, and your own profiles.",
        discussion: """
            A dialect is a built-in description of one kind of backend: its requests for tokens, and \
            what its answers mean.

            Your own profiles are files \
            $XDG_CONFIG_HOME/authtop/profiles/NAME.toml: the dialect that it extends, and what \
            differs. Start with `authtop profiles init`.
            """,
        subcommands: [
            ListCommand.self, ShowCommand.self, InitCommand.self, ValidateCommand.self,
        ],
        defaultSubcommand: ListCommand.self
    )

    struct ListCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the dialects and your own profiles, with the folder of the latter."
        )

        func run() throws {
            let catalogue = LiveEnvironment().catalogue
            let entries = catalogue.entries
            let width = entries.map(\.name.visibleInOneLine.count).max() ?? 0
            for entry in entries {
                let name = entry.name.visibleInOneLine.padded(to: width)
                let mark = entry.isProvider ? "by documentation, not run against the service" : nil
                let place = (entry.file ?? mark).map { "  \($0)" } ?? ""
                let row = "\(name)  \(try catalogue.title(of: entry))\(place)"
                guard StandardOutput.write(row.visibleInOneLine) else { return }
            }
        }
    }

    struct ShowCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Print a profile as one file, with all that it inherits and without secrets.",
            discussion: "Exit codes: 0 done, 2 bad input, 3 the profile's issuer is not reachable."
        )

        @Argument(help: "The name of the profile, or a file.", completion: .profiles)
        var name: String

        @OptionGroup var trust: TrustOptions

        func run() async throws {
            let environment = LiveEnvironment()
            let profile = try await environment.profile(named: name, caFile: trust.caFile)
            // A built-in dialect's comments are worth reading.
            let isOwn = profile.files.first.map { $0.has("/") || $0 == name } ?? false
            let text = isOwn ? profile.resolved : try environment.catalogue.source(of: name).text
            _ = StandardOutput.write(text)
        }
    }
}

extension DialectCatalogue {
    /// Returns the description of an entry; for a file that cannot be read, the reason.
    fileprivate func title(of entry: Entry) throws -> String {
        do {
            return try dialect(named: entry.file ?? entry.name).title
        } catch let failure as CommandFailure {
            return "unusable: \(failure.message)"
        }
    }
}
