@testable import UI
@testable import authtop

/// The output of ArgumentParser for `--experimental-dump-help`.
struct CommandDump: Decodable {
    struct Command: Decodable {
        let commandName: String
        let abstract: String?
        let discussion: String?
        let shouldDisplay: Bool?
        let subcommands: [Command]?
        let arguments: [Argument]?

        /// Without the command that shows the help of others.
        var shownSubcommands: [Command] {
            (subcommands ?? []).filter { $0.commandName != "help" && $0.shouldDisplay != false }
        }
    }

    struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String
        }

        let kind: String
        let shouldDisplay: Bool
        let isOptional: Bool
        let isRepeating: Bool
        let names: [Name]?
        let valueName: String?
        let abstract: String?
        let discussion: String?
        let defaultValue: String?
        let allValues: [String]?
    }

    let command: Command
}

/// The manual page, in the macros of man(7): all commands with their arguments, and all keys.
struct ManualPage {
    private let command: CommandDump.Command
    /// Options that at least this number of commands take are described once.
    private static let common = 4

    init(_ command: CommandDump.Command) {
        self.command = command
    }

    var text: String {
        let leaves = Self.leaves(of: command, after: "")
        var counts: [String: Int] = [:]
        for argument in leaves.flatMap({ Self.options(of: $0.command) }) {
            counts[Self.description(argument).joined(), default: 0] += 1
        }
        let isCommon = { (argument: CommandDump.Argument) in
            counts[Self.description(argument).joined(), default: 0] >= Self.common
        }
        var lines = [
            ".\\\" Written by ManualPageTests from the program's own help: UPDATE_PAGES=1.",
            ".TH AUTHTOP 1 \"\" \"authtop\" \"General Commands Manual\"",
            ".SH NAME", "authtop \\- \(Self.escaped(Self.sentence(command.abstract)))",
            ".SH SYNOPSIS",
        ]
        for leaf in leaves { lines += [".B \(Self.escaped(leaf.name))"] + Self.usage(leaf.command) }
        lines += [".SH DESCRIPTION"] + Self.paragraphs(command.discussion)
        lines.append(".SH COMMANDS")
        for leaf in leaves {
            lines += [".SS \(Self.escaped(leaf.name))"] + Self.paragraphs(leaf.command.abstract)
            if leaf.command.discussion?.isEmpty == false { lines.append(".PP") }
            lines += Self.paragraphs(leaf.command.discussion)
            let arguments = (leaf.command.arguments ?? []).filter(\.shouldDisplay)
            let own = arguments.filter { $0.kind == "positional" || !isCommon($0) }
            lines += own.filter { !Self.isOfEach($0) }.flatMap(Self.description)
            let shared = Self.options(of: leaf.command).filter(isCommon).map(Self.label)
            if !shared.isEmpty {
                lines += [".PP", "Also takes \(Self.escaped(shared.joined(separator: ", ")))."]
            }
        }
        lines.append(".SH OPTIONS OF SEVERAL COMMANDS")
        var described: Set<String> = []
        for argument in leaves.flatMap({ Self.options(of: $0.command) }).filter(isCommon)
            .sorted(by: { Self.label($0) < Self.label($1) })
        where described.insert(Self.description(argument).joined()).inserted {
            lines += Self.description(argument)
        }
        lines += [".TP", ".B \\-\\-version", "Show the version."]
        lines += [".TP", ".B \\-h, \\-\\-help", "Show help information."]
        lines.append(".SH KEYS")
        for section in KeyCommand.Section.allCases {
            lines.append(".SS \(Self.escaped(section.rawValue))")
            for key in KeyTable.commands where key.section == section {
                let ofApp = key.appHelp.map { ", or \($0)" } ?? ""
                lines += Self.key(key.keys, key.help + ofApp)
            }
        }
        lines += Self.keys(of: LocalScreen.self) + Self.keys(of: CheckScreen.self)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func keys<Screen: KeyedScreen>(of screen: Screen.Type) -> [String] {
        [".SS \(escaped(screen.title))"] + screen.commands.flatMap { key($0.keys, $0.help) }
    }

    private static func key(_ keys: [Key], _ help: String) -> [String] {
        [".TP", ".B \(escaped(KeyText.names(keys)))", escaped(help)]
    }

    // MARK: - Commands

    private static func leaves(
        of command: CommandDump.Command,
        after prefix: String
    ) -> [(name: String, command: CommandDump.Command)] {
        let name = prefix.isEmpty ? command.commandName : "\(prefix) \(command.commandName)"
        let subcommands = command.shownSubcommands
        guard !subcommands.isEmpty else { return [(name, command)] }
        return subcommands.flatMap { leaves(of: $0, after: name) }
    }

    private static func options(of command: CommandDump.Command) -> [CommandDump.Argument] {
        (command.arguments ?? []).filter {
            $0.shouldDisplay && $0.kind != "positional" && !isOfEach($0)
        }
    }

    private static func isOfEach(_ argument: CommandDump.Argument) -> Bool {
        argument.names?.contains { ["help", "version"].contains($0.name) } ?? false
    }

    private static func usage(_ command: CommandDump.Command) -> [String] {
        let positional = (command.arguments ?? []).filter {
            $0.kind == "positional" && $0.shouldDisplay
        }
        let values = positional.map { argument in
            let name = label(argument) + (argument.isRepeating ? " ..." : "")
            return argument.isOptional ? "[\(name)]" : name
        }
        let options = options(of: command).isEmpty ? [] : ["[options]"]
        let words = options + values
        return (words.isEmpty ? [] : [escaped(words.joined(separator: " "))]) + [".br"]
    }

    // MARK: - Arguments

    /// `--vault <vault>`, `<profile>`.
    private static func label(_ argument: CommandDump.Argument) -> String {
        let value = "<\(argument.valueName ?? "")>"
        guard argument.kind != "positional" else { return value }
        let names = (argument.names ?? []).map { name in
            (name.kind == "long" ? "--" : "-") + name.name
        }
        let all = names.joined(separator: ", ")
        return argument.kind == "flag" ? all : "\(all) \(value)"
    }

    private static func description(_ argument: CommandDump.Argument) -> [String] {
        var text = argument.abstract ?? ""
        if let values = argument.allValues, !values.isEmpty {
            text += " One of \(values.joined(separator: ", "))."
        }
        if let value = argument.defaultValue, !value.isEmpty { text += " Default: \(value)." }
        var lines = [".TP", ".B \(escaped(label(argument)))"] + paragraphs(text)
        if let discussion = argument.discussion, !discussion.isEmpty {
            lines += [".IP"] + paragraphs(discussion)
        }
        return lines
    }

    // MARK: - Text

    private static func sentence(_ text: String?) -> String {
        let text = text ?? ""
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// Paragraphs are apart by an empty line, and are filled.
    private static func paragraphs(_ text: String?) -> [String] {
        let blocks = (text ?? "").split(separator: "\n\n", omittingEmptySubsequences: true)
        return blocks.enumerated().flatMap { number, block in
            (number == 0 ? [] : [".PP"])
                + block.split(separator: "\n").map { line in
                    escaped(String(line.drop { $0 == " " }))
                }
        }
    }

    /// Text that means nothing to roff.
    private static func escaped(_ text: String) -> String {
        var text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        text = text.replacing("'", with: "\\(aq").replacing("\"", with: "\\(dq")
        text = text.replacing("`", with: "\\(ga").replacing("^", with: "\\(ha")
        text = text.replacing("~", with: "\\(ti")
        return text.hasPrefix(".") ? "\\&" + text : text
    }
}
