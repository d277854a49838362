import Testing

/// A user's mistake, and the text about it.
struct Mistake: Sendable, CustomTestStringConvertible {
    let name: String
    let arguments: [String]
    var variables: [String: String] = [:]
    let exit: Int32
    /// Parts of what stands on stderr.
    let says: [String]

    var testDescription: String { name }

    static let all = [
        Mistake(
            name: "mistyped command",
            arguments: ["statsu"],
            exit: 2,
            says: ["there is no command \"statsu\"", "did you mean status?"]
        ),
        Mistake(
            name: "mistyped command with options that the default has not",
            arguments: ["demmo", "--access-ttl", "1h"],
            exit: 2,
            says: ["there is no command \"demmo\"", "did you mean demo?"]
        ),
        Mistake(
            name: "unknown profile",
            arguments: ["watch", "nosuch", "--base-url", "http://127.0.0.1:1"],
            exit: 2,
            says: ["nosuch", "bitbasel", "voltyks"]
        ),
        Mistake(
            name: "unknown dialect of a demo",
            arguments: ["demo", "--dialect", "nosuch", "--json"],
            exit: 2,
            says: ["nosuch", "bitbasel", "voltyks"]
        ),
        Mistake(
            name: "unknown dialect to show",
            arguments: ["profiles", "show", "nosuch"],
            exit: 2,
            says: ["nosuch", "bitbasel", "voltyks"]
        ),
        Mistake(
            name: "no base URL",
            arguments: ["watch", "voltyks"],
            exit: 2,
            says: ["voltyks", "--base-url"]
        ),
        Mistake(
            name: "no credentials and nobody to ask",
            arguments: ["watch", "bitbasel", "--base-url", "http://127.0.0.1:1"],
            exit: 2,
            says: ["identity token", "AUTHTOP_BITBASEL_IDENTITY_TOKEN", "--credentials"]
        ),
        Mistake(
            name: "clear text to another machine",
            arguments: ["watch", "voltyks", "--base-url", "http://backend.example"],
            variables: Guide.voltyks.credentials,
            exit: 2,
            says: ["backend.example", "clear text", "https"]
        ),
        Mistake(
            name: "a base URL of another kind",
            arguments: ["watch", "voltyks", "--base-url", "ftp://127.0.0.1"],
            variables: Guide.voltyks.credentials,
            exit: 2,
            says: ["ftp://"]
        ),
        Mistake(
            name: "a file of credentials that is not there",
            arguments: [
                "watch", "voltyks", "--base-url", "http://127.0.0.1:1", "--credentials",
                "/nonexistent",
            ],
            exit: 2,
            says: ["/nonexistent", "No such file"]
        ),
    ]

    /// These are the parser's own: its message, and how the command is used.
    static let parsed = others + numbers

    /// Numbers that are none of what is asked for, up to the largest that can be written.
    private static let numbers = [
        ("proxy --to http://127.0.0.1:1 --port", "65536"),
        ("proxy --to http://127.0.0.1:1 --port", "9223372036854775807"),
        ("proxy --to http://127.0.0.1:1 --control", "9223372036854775807"),
        ("sandbox --port", "9223372036854775807"), ("demo --json --port", "70000"),
        ("demo --json --port", "9223372036854775807"),
        ("forecast voltyks --days", "9223372036854775807"),
    ].map { line, number in
        Mistake(
            name: "\(line) \(number)",
            arguments: line.split(separator: " ").map(String.init) + [number],
            exit: 2,
            says: ["--", "expected "]
        )
    }

    private static let others = [
        Mistake(
            name: "bad duration",
            arguments: ["demo", "--for", "5x"],
            exit: 2,
            says: ["5x", "--for"]
        ),
        Mistake(
            name: "no duration at all",
            arguments: ["demo", "--access-ttl", "0s"],
            exit: 2,
            says: ["0s", "--access-ttl"]
        ),
        Mistake(
            name: "a port that is none",
            arguments: ["sandbox", "--port", "99999"],
            exit: 2,
            says: ["99999", "65535"]
        ),
        Mistake(
            name: "unknown option",
            arguments: ["demo", "--nosuch"],
            exit: 2,
            says: ["--nosuch"]
        ),
    ]
}
