import FoundationEssentials
import TestSupport
import Testing

/// The page that documents every command against what the program says of itself.
@Suite("The page on commands", .programs)
struct CommandPageTests {
    @Test("names every command, argument and option, and no other")
    func commands() async throws {
        try await withBench { bench in
            let program = try bench.authtop(["--experimental-dump-help"])
            #expect(try await program.ended() == .exit(0))
            let text = Data(program.output.text.utf8)
            let dump = try JSONDecoder().decode(CommandDump.self, from: text)
            var said: [String: [String]] = [:]
            Self.collect(dump.command, after: "", into: &said)
            let documented = try Self.documented()
            #expect(documented.keys.sorted() == said.keys.sorted())
            for (command, arguments) in said {
                #expect(documented[command]?.sorted() == arguments.sorted(), "\(command)")
            }
        }
    }

    /// The commands that do something themselves, each with its arguments and options.
    private static func collect(
        _ command: CommandDump.Command,
        after prefix: String,
        into found: inout [String: [String]]
    ) {
        let name = prefix.isEmpty ? command.commandName : "\(prefix) \(command.commandName)"
        let subcommands = command.subcommands ?? []
        guard subcommands.isEmpty else {
            for subcommand in subcommands where subcommand.commandName != "help" {
                collect(subcommand, after: name, into: &found)
            }
            return
        }
        found[name] = (command.arguments ?? []).filter(\.shouldDisplay).compactMap { argument in
            guard argument.kind != "positional" else { return "<\(argument.valueName ?? "")>" }
            let long = argument.names?.first { $0.kind == "long" }?.name
            return long == "help" || long == "version" ? nil : long.map { "--\($0)" }
        }
    }

    /// The names in the first columns of the tables below each command's heading, and below those
    /// of the groups of options that it says it takes.
    private static func documented() throws -> [String: [String]] {
        let top = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let path = "/\(top)/Sources/authtop/authtop.docc/Commands.md"
        let data = try #require(FileManager.default.contents(atPath: path))
        var tables: [String: [String]] = [:]
        var groups: [String: [String]] = [:]
        var heading = ""
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("### ") {
                heading = line.dropFirst(4).filter { $0 != "`" }
                tables[heading] = []
            } else if line.hasPrefix("Also takes: ") {
                groups[heading] = line.dropFirst(12).dropLast().split(separator: ", ")
                    .map(String.init)
            } else if line.hasPrefix("| `") {
                tables[heading]?.append(String(line.dropFirst(3).prefix { $0 != "`" }))
            }
        }
        for (command, names) in groups {
            for name in names {
                let options = try #require(tables[name], "\(name)")
                tables[command]? += options
            }
        }
        return tables.filter { $0.key.hasPrefix("authtop ") }
    }
}
