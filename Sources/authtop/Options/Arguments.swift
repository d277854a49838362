import ArgumentParser
import Basics
import Platform
import Profiles
import UI

/// A duration such as `20s`, `5m`, `1.5h`, `30d` or `250ms`; a number without a unit is in seconds.
struct DurationArgument: ExpressibleByArgument, Sendable, Hashable {
    let seconds: Double

    init(seconds: Double) {
        self.seconds = seconds
    }

    init?(argument: String) {
        guard let seconds = DurationParser.seconds(in: argument, takesBareNumber: true),
            seconds > 0, seconds <= DurationParser.longest
        else { return nil }
        self.seconds = seconds
    }

    /// The duration in the largest unit in which it is a whole number.
    var defaultValueDescription: String {
        let units: [(suffix: String, seconds: Double)] = [
            ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1),
        ]
        for unit in units where seconds >= unit.seconds {
            let value = seconds / unit.seconds
            if value == value.rounded() { return "\(Int(value))\(unit.suffix)" }
        }
        return "\(Int(seconds * 1000))ms"
    }

    static var allValueStrings: [String] { [] }
}

/// A port to listen on, from 0, which chooses a free one, to 65535.
enum ListeningPort {
    /// - Throws: `ValidationError` with the option, if the number is no port.
    static func check(_ number: Int?, of option: String) throws {
        guard let number, !(0...65_535).contains(number) else { return }
        throw ValidationError("\(option) \(number): expected 0 to 65535")
    }
}

extension RequestHost {
    /// Checks the names of `--allow-host`.
    static func checkAllowed(_ hosts: [String]) throws {
        for host in hosts {
            guard let parsed = RequestHost(host), parsed.port == nil else {
                throw ValidationError("--allow-host \(host): expected a name without a port")
            }
        }
    }
}

/// Shell completions for names.
extension CompletionKind {
    /// The built-in profiles and the user's own.
    static var profiles: CompletionKind {
        .custom { _, _, _ in
            // A name that cannot be shown unchanged is not suggested.
            LiveEnvironment().catalogue.entries.map(\.name).filter { $0.visibleInOneLine == $0 }
        }
    }

    /// Names of which a value can have several, with commas between them.
    static func commaSeparated(_ names: [String]) -> CompletionKind {
        .custom { _, _, typed in
            let before = typed.parts(at: ",", keepsEmpty: true).dropLast()
            return names.filter { name in !before.contains { $0 == name } }
                .map { (before.map(String.init) + [$0]).joined(separator: ",") }
        }
    }

    static var dialects: CompletionKind { .list(Dialect.builtInNames) }

    static var vaults: CompletionKind { .list(VaultCatalogue.all.map(\.name)) }

    static var certificates: CompletionKind { .file(extensions: ["pem", "crt"]) }
}
