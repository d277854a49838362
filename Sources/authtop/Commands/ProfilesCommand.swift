import ArgumentParser
import Dialects

struct ProfilesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profiles",
        abstract: "The dialects that authtop speaks.",
        subcommands: [ListCommand.self, ShowCommand.self],
        defaultSubcommand: ListCommand.self
    )

    struct ListCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Name them."
        )

        func run() {
            let dialects = Dialect.builtIn()
            let width = dialects.map(\.name.count).max() ?? 0
            for dialect in dialects {
                let line = "\(dialect.name.padded(to: width))  \(dialect.title)"
                guard StandardOutput.write(line) else { return }
            }
        }
    }

    struct ShowCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Print one, as the file that it is."
        )

        @Argument(help: "Its name.")
        var name: String

        func run() throws {
            let dialect = try DialectCatalogue.builtIn(named: name)
            _ = StandardOutput.write(Dialect.builtInSources[dialect.name] ?? "")
        }
    }
}
