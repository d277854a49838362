import Basics

/// The help of a command, with its own options before the groups that it shares with other commands.
///
/// The parser puts those without a title last.
enum HelpText {
    private static let own = "OPTIONS:"

    static func ordered(_ help: String) -> String {
        var lines = help.parts(at: "\n", keepsEmpty: true).map(String.init)
        guard let start = lines.firstIndex(of: own),
            let first = lines.firstIndex(where: { isHeading($0) && $0 != "ARGUMENTS:" }),
            first < start
        else { return help }
        let end = lines[(start + 1)...].firstIndex(where: isHeading) ?? lines.endIndex
        var section = lines[start..<end]
        lines.removeSubrange(start..<end)
        while section.last?.isEmpty == true { section.removeLast() }
        while lines.last?.isEmpty == true { lines.removeLast() }
        lines.insert(contentsOf: section + [""], at: first)
        return lines.joined(separator: "\n")
    }

    /// Whether a line is the title of a section, such as `DISPLAY:`.
    private static func isHeading(_ line: String) -> Bool {
        line.utf8.last == UInt8(ascii: ":")
            && line.utf8.first.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } == true
            && line.utf8.allSatisfy { !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
    }
}
