import Basics
import Testing

@testable import Profiles

@Suite("What an answer tells about the account")
struct AccountDetailTests {
    private static func tokens(_ members: String) throws -> IssuedTokens {
        let text = Mistake.soundLogin + #"account = ["user.new", "kind", "list", "none"]"#
        let dialect = try Dialect(toml: text, file: "mine.toml")
        let body = #"{"token": "0123456789abcdef.x", \#(members)}"#
        let answer = dialect.readLogin(WireResponse(status: 200, body: Array(body.utf8)))
        guard case .issued(let tokens) = answer else { throw Unreadable() }
        return tokens
    }

    struct Unreadable: Error {}

    @Test("is read from its key paths, in their order, whatever kind of value stands there")
    func values() throws {
        let tokens = try Self.tokens(
            #""kind": "guest", "user": {"new": true}, "list": [7], "none": null"#
        )
        #expect(
            tokens.statements.account == [
                AccountDetail(path: "user.new", value: "true"),
                AccountDetail(path: "kind", value: "guest"),
                AccountDetail(path: "list", value: "7"),
            ]
        )
        #expect(tokens.statements.account.map(\.name) == ["new", "kind", "list"])
    }

    @Test("is in one line, bounded, and without a part of a token")
    func untrusted() throws {
        let long = String(repeating: "x ", count: 5000)
        let tokens = try Self.tokens(
            ##""kind": "a\u001b[31m\nb", "list": "\##(long)", "user": {"new": "is 0123456789abcdef"}"##
        )
        #expect(tokens.statements.account.map(\.path) == ["kind", "list"])
        for detail in tokens.statements.account {
            #expect(detail.value.count <= 200)
            #expect(!detail.value.contains("0123456789"))
            #expect(!detail.value.unicodeScalars.contains { $0.value < 0x20 })
        }
    }

    @Test(
        "is read from the guides' answers",
        arguments: [("melchat", ["isNewUser"]), ("bitbasel", ["token_type", "has_profile"])]
    )
    func guides(name: String, names: [String]) throws {
        let dialect = try #require(Dialect.builtIn(named: name))
        let login = dialect.answer(.loginIssued(Sample(dialect).facts))
        guard case .issued(let tokens) = dialect.readLogin(login) else { throw Unreadable() }
        #expect(tokens.statements.account.map(\.name) == names)
    }
}
