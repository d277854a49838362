import Dialects

/// What a person can name where a dialect or a profile is asked for.
enum DialectCatalogue {
    static var names: [String] { Dialect.builtIn().map(\.name) }

    static var namesInWords: String { names.joined(separator: ", ") }

    static func builtIn(named name: String) throws -> Dialect {
        guard let dialect = Dialect.builtIn(named: name) else {
            throw CommandFailure(
                .badInput,
                "there is no dialect \"\(printable(name))\": expected one of \(namesInWords)"
            )
        }
        return dialect
    }

    private static func printable(_ name: String) -> String {
        String(name.unicodeScalars.prefix(60).map { $0.value < 32 ? " " : Character($0) })
    }
}
