import Dialects
import FoundationEssentials

/// What a person can name where a dialect or a profile is asked for: a file of their own, by its
/// path or by its name in the profiles' folder, or a built-in.
struct DialectCatalogue {
    /// An entry, read only when it is asked for.
    struct Entry {
        let name: String
        /// Nil for a built-in.
        let file: String?
    }

    /// A dialect's file, at most so large, in bytes.
    static let sizeLimit = 256 * 1024

    /// `$XDG_CONFIG_HOME/authtop/profiles`.
    let folder: String

    static var builtInNames: String {
        Dialect.builtIn().map(\.name).joined(separator: ", ")
    }

    static func builtIn(named name: String) throws -> Dialect {
        guard let dialect = Dialect.builtIn(named: name) else {
            throw CommandFailure(
                .badInput,
                "there is no dialect \"\(printable(name))\": expected one of \(builtInNames)"
            )
        }
        return dialect
    }

    /// A person's own files first: they may stand in for a built-in.
    var entries: [Entry] {
        let own = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
            .filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }
            .sorted()
            .map { Entry(name: String($0.dropLast(5)), file: "\(folder)/\($0)") }
        let names = Set(own.map(\.name))
        return own
            + Dialect.builtIn().filter { !names.contains($0.name) }
            .map { Entry(name: $0.name, file: nil) }
    }

    /// The text of a dialect's file.
    func source(of name: String) throws -> (text: String, file: String) {
        if name.contains("/") || name.hasSuffix(".toml") { return (try read(name), name) }
        guard let entry = entries.first(where: { $0.name == name }) else {
            let known = entries.map(\.name).joined(separator: ", ")
            throw CommandFailure(
                .badInput,
                "there is no profile \"\(Self.printable(name))\": expected one of \(known), "
                    + "or \(folder)/\(Self.printable(name)).toml"
            )
        }
        guard let file = entry.file else {
            return (Dialect.builtInSources[name] ?? "", "\(name).toml")
        }
        return (try read(file), file)
    }

    func dialect(named name: String) throws -> Dialect {
        let source = try source(of: name)
        do {
            return try Dialect(toml: source.text, file: source.file)
        } catch {
            throw CommandFailure(.badInput, error.description)
        }
    }

    private func read(_ path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(.badInput, "\(path): expected a readable file")
        }
        guard data.count <= Self.sizeLimit else {
            throw CommandFailure(.badInput, "\(path): over 256 KiB, expected a dialect")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw CommandFailure(.badInput, "\(path): expected UTF-8 text")
        }
        return text
    }

    private static func printable(_ name: String) -> String {
        String(name.unicodeScalars.prefix(60).map { $0.value < 32 ? " " : Character($0) })
    }
}
