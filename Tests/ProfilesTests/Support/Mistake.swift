import Testing

@testable import Profiles

/// A file with one mistake, and all that is said about it.
struct Mistake: Sendable, CustomTestStringConvertible {
    var text: String
    var message: String

    init(_ text: String, _ message: String) {
        self.text = text
        self.message = message
    }

    var testDescription: String { message }

    func expectNamed() {
        let error = #expect(throws: DialectError.self) {
            try Dialect(toml: text, file: "mine.toml")
        }
        #expect(error?.description == message)
    }

    /// Seven lines without a mistake: all that a file must have.
    static let soundLogin = """
        name = "mine"
        [login]
        request = "POST /login"
        credentials = ["email"]
        fields = { email = "{email}" }
        [login.response]
        access = "token"

        """

    /// A refresh that begins on line 8; the given lines begin on line 10.
    static func refresh(_ lines: String) -> String {
        soundLogin + "[refresh]\nrequest = \"POST /refresh\"\n" + lines
    }

    /// Three lines that lack the terminal answers only.
    static let soundRefresh = "token_in = \"bearer\"\n[refresh.response]\naccess = \"token\"\n"
}
