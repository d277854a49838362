import Basics
import Testing

@testable import Profiles

@Suite("Words that a file of the user adds to recognition")
struct AddedWordsTests {
    private static func added() throws -> Recognition {
        try Recognition(
            adding: """
                [keys]
                container = "vault"
                [messages]
                states = "outcome"
                failures = "declined"
                texts = "note"
                [secrets]
                labels = "label"
                [refusal_words]
                hints = "badge"
                """,
            file: "recognition.toml"
        )
    }

    @Test("tell the error of a socket, and where its text is")
    func messages() throws {
        let message: JSONValue = ["outcome": "Declined", "note": "token expired"]
        #expect(try Self.added().saysRefusal(inMessage: message))
        #expect(!Recognition.builtIn.saysRefusal(inMessage: message))
        let usual: JSONValue = ["type": "error", "data": "token expired"]
        #expect(Recognition.builtIn.saysRefusal(inMessage: usual))
    }

    @Test("name the value beside them")
    func labels() throws {
        let text = #"{"label":"X-Api-Key","value":"7531"}"#
        let added = try Self.added().secrets
        #expect(!UnknownSecrets.hidingNamed(in: text, by: added).contains("7531"))
        let known = Recognition.builtIn.secrets
        #expect(UnknownSecrets.hidingNamed(in: text, by: known).contains("7531"))
        let usual = #"{"key":"X-Api-Key","value":"7531"}"#
        #expect(!UnknownSecrets.hidingNamed(in: usual, by: known).contains("7531"))
    }

    @Test("hint at the token, in any case")
    func hints() throws {
        #expect(try Self.added().hintsAtToken("403 BADGE_LOST"))
        #expect(!Recognition.builtIn.hintsAtToken("403 BADGE_LOST"))
        #expect(Recognition.builtIn.hintsAtToken("403 Unauthorized"))
    }

    @Test("hold the tokens of a pasted pair")
    func containers() throws {
        let dialect = try #require(Dialect.builtIn().first)
        let text = #"{"vault": {"access_token": "one-access", "refresh_token": "one-refresh"}}"#
        #expect(throws: PastedPair.Problem.noAccessToken) {
            try PastedPair(parsing: text, by: dialect)
        }
        var reading = dialect
        reading.extendedRecognition = try Self.added()
        let pair = try PastedPair(parsing: text, by: reading)
        #expect(pair.tokens.refresh == RefreshToken(Secret("one-refresh")))
    }
}
