import Basics
import Testing

@testable import Profiles

@Suite("UserList")
struct UserListTests {
    private static let credentials = ["username", "password"]

    private static func list(
        _ text: String,
        given: Set<String> = []
    ) throws(DialectError) -> [UserList.User] {
        try UserList(text, file: "users.toml", credentials: credentials, given: given).users
    }

    @Test("has each user of the file in its order, with credentials and commands")
    func users() throws {
        let users = try Self.list(
            """
            # Two of them.
            ["bob@example.com"]
            username = "bob"
            password_command = ["pass", "show", "bob"]

            [alice]
            username = "alice"
            password = "secret of alice"
            """
        )
        #expect(users.map(\.name) == ["bob@example.com", "alice"])
        #expect(users.map(\.line) == [2, 6])
        #expect(users[0].values.keys.sorted() == ["username"])
        #expect(users[0].commands == ["password": ["pass", "show", "bob"]])
        #expect(users[1].values["password"]?.reveal() == "secret of alice")
    }

    @Test("takes a user without credentials, whose session can only be resumed")
    func resumed() throws {
        #expect(try Self.list("[alice]\n[bob]\n").allSatisfy { $0.values.isEmpty })
    }

    @Test("leaves out what all users have from elsewhere")
    func given() throws {
        let users = try Self.list("[alice]\nusername = \"a\"", given: ["password"])
        #expect(users[0].values.count == 1)
    }

    @Test(
        "names the file, the line and the key of a mistake",
        arguments: [
            ("", "users.toml: no user, expected a table for each, such as [alice]"),
            ("alice = 1", "users.toml:1: alice: found the number 1, expected a table"),
            (
                "[alice]\nusername = \"a\"\npasword = \"x\"",
                "users.toml:3: alice.pasword: unknown key \"pasword\""
            ),
            ("[alice]\nusername = \"a\"", "users.toml:1: alice.password: missing"),
            ("[alice]\nusername = 7", "users.toml:2: alice.username: not text, expected"),
            ("[alice]\nusername = \"\"\npassword = \"x\"", "users.toml:2: alice.username: empty"),
            (
                "[alice]\npassword = \"x\"\npassword_command = [\"pass\"]",
                "users.toml:3: alice.password_command: password is there, too"
            ),
            (
                "[alice]\npassword_command = []",
                "users.toml:2: alice.password_command: names no program"
            ),
            ("[alice]\n[alice]", "users.toml:2: not TOML: \"alice\" is already defined"),
            ("[\"a\\u001Bb\"]", "users.toml:1: a b: not a name for a session"),
            ("[\" a\"]", "users.toml:1:  a: not a name for a session"),
        ]
    )
    func mistakes(text: String, message: String) throws {
        let error = #expect(throws: DialectError.self) { try Self.list(text) }
        let found = try #require(error?.description)
        #expect(found.hasPrefix(message), "\(found)")
        #expect(!found.contains("\u{1B}"))
    }

    @Test("has names of at most 64 characters")
    func names() throws {
        let longest = String(repeating: "é", count: 64)
        #expect(try Self.list("[\"\(longest)\"]").first?.name == longest)
        #expect(throws: DialectError.self) { try Self.list("[\"\(longest)e\"]") }
    }

    @Test(
        "does not repeat a secret in an error, whatever is wrong with it",
        arguments: ["hunter2", "4711", "[\"hunter2\"]", "{ a = \"hunter2\" }", "1979-05-27"]
    )
    func secret(value: String) throws {
        let text = "[alice]\nusername = \"a\"\npassword = \(value)"
        let error = #expect(throws: DialectError.self) { try Self.list(text) }
        let message = try #require(error).description
        #expect(message.hasPrefix("users.toml:3: "), "\(message)")
        #expect(!["hunter2", "4711", "1979"].contains { message.contains($0) }, "\(message)")
    }
}
