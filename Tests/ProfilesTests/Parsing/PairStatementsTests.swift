import Basics
import Foundation
import Profiles
import Testing

@Suite("The statements about a pair")
struct PairStatementsTests {
    private static let login = PairStatements(
        subject: "7",
        displayName: "Ada",
        account: [AccountDetail(path: "plan", value: "pro")],
        scopes: ["read", "write"]
    )

    @Test("stay as a login made them until a later answer makes them again")
    func update() {
        var statements = Self.login
        statements.update(from: PairStatements())
        #expect(statements == Self.login)
        let later = [AccountDetail(path: "plan", value: "free")]
        statements.update(from: PairStatements(displayName: "Ada L.", account: later))
        #expect(
            statements
                == PairStatements(
                    subject: "7",
                    displayName: "Ada L.",
                    account: later,
                    scopes: ["read", "write"]
                )
        )
        statements.update(from: PairStatements(scopes: ["read"]))
        #expect(statements.scopes == ["read"])
    }

    @Test("name the user by the name, or else by the id")
    func user() {
        #expect(Self.login.user == "Ada")
        #expect(PairStatements(subject: "7").user == "7")
        #expect(PairStatements().user == nil)
    }

    @Test("are written without those that were not made, and read without the account")
    func coding() throws {
        let none = try JSONEncoder().encode(PairStatements())
        #expect(JSONValue(parsing: Array(none)) == ["account": []])
        let all = try JSONEncoder().encode(Self.login)
        #expect(try JSONDecoder().decode(PairStatements.self, from: all) == Self.login)
        let first = try JSONDecoder().decode(PairStatements.self, from: Data("{}".utf8))
        #expect(first == PairStatements())
    }
}
