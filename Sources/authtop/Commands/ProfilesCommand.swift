import ArgumentParser
import Dialects

struct ProfilesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profiles",
        abstract: "The dialects that authtop speaks, and your own.",
        subcommands: [ListCommand.self, ShowCommand.self],
        defaultSubcommand: ListCommand.self
    )

    struct ListCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Name them."
        )

        func run() throws {
            let catalogue = LiveEnvironment().catalogue
            let entries = catalogue.entries
            let width = entries.map(\.name.count).max() ?? 0
            for entry in entries {
                let title = try catalogue.title(of: entry)
                guard StandardOutput.write("\(entry.name.padded(to: width))  \(title)") else {
                    return
                }
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
            let catalogue = LiveEnvironment().catalogue
            _ = try catalogue.dialect(named: name)
            _ = StandardOutput.write(try catalogue.source(of: name).text)
        }
    }
}

extension DialectCatalogue {
    /// What is special about it; a file that cannot be read says why.
    fileprivate func title(of entry: Entry) throws -> String {
        do {
            return try dialect(named: entry.file ?? entry.name).title
        } catch let failure as CommandFailure {
            return "unusable: \(failure.words)"
        }
    }
}
