import Basics
import Profiles

/// Formats of lines, as JSON has their contents.
enum LineFormats {
    /// Reads an INI file: its sections as objects, and what stands before them beside those.
    static func ini(_ text: String) -> JSONValue {
        var whole: [String: JSONValue] = [:]
        var section: String?
        var members: [String: JSONValue] = [:]
        func close() {
            guard let section else { return whole.merge(members) { $1 } }
            whole[section] = .object(members)
        }
        for line in text.lines.map(\.trimmingBlanks) {
            if line.begins(with: ";") || line.begins(with: "#") { continue }
            if let name = line.part(after: "[")?.part(upTo: "]") {
                close()
                section = String(name.trimmingBlanks)
                members = [:]
            } else if let halves = line.halves(at: "=") {
                members[String(halves.before.trimmingBlanks)] =
                    .string(String(halves.after.trimmingBlanks))
            }
        }
        close()
        return .object(whole)
    }

    /// Reads the machines of a netrc file: `machine`, `login`, `password` and `account` of each.
    static func netrc(_ text: String) -> JSONValue {
        var machines: [[String: JSONValue]] = []
        var words = text.utf8.split { $0 <= 0x20 }.map { String(Substring($0)) }[...]
        while let word = words.popFirst() {
            switch word {
            case "machine":
                machines.append(["machine": .string(words.popFirst() ?? "")])
            case "default":
                machines.append(["machine": .string("default")])
            case "login", "password", "account":
                guard !machines.isEmpty, let value = words.popFirst() else { continue }
                machines[machines.count - 1][word] = .string(value)
            default: break
            }
        }
        return .array(machines.map { .object($0) })
    }

    /// Reads URLs, one on each line, as objects with `url`, `host`, `user` and `password`, the last two
    /// as they were before they were percent-encoded.
    static func urls(_ text: String) -> JSONValue {
        .array(
            text.lines.compactMap { line in
                guard let scheme = line.range(ofBytes: "://") else { return nil }
                let rest = line[scheme.upperBound...]
                let authority = rest.part(before: "/")
                let parts = authority.parts(at: "@", keepsEmpty: true)
                guard parts.count > 1, let host = parts.last else { return nil }
                let user = parts.dropLast().joined(separator: "@")
                guard let halves = user.halves(at: ":") else { return nil }
                return .object([
                    "host": .string(String(host)),
                    "url": .string("\(line[..<scheme.lowerBound])://\(host)"),
                    "user": .string(PercentEncoding.decode(halves.before, plusIsSpace: false)),
                    "password": .string(
                        PercentEncoding.decode(halves.after, plusIsSpace: false)
                    ),
                ])
            }
        )
    }
}
