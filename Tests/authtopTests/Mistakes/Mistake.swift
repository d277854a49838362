import Testing

/// What somebody gets wrong, and what they are told.
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
    static let parsed = [
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
