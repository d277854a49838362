import Profiles
import Testing

@testable import Stores

@Suite("Stores: definitions")
struct StoreDefinitionTests {
    @Test("every store that is part of the program can be read, and there are at least twenty")
    func builtIn() {
        #expect(StoreDefinition.builtIn.map(\.name) == StoreDefinition.builtInSources.keys.sorted())
        #expect(StoreDefinition.builtIn.count >= 20)
    }

    private static let mistakes: [(String, String)] = [
        ("renewal = \"program\"", "acme.toml:1: title: missing"),
        ("title = \"Acme\"", "acme.toml:1: file: missing"),
        (
            "title = \"Acme\"\nrenewal = \"never\"",
            "acme.toml:2: renewal: found \"never\", expected one of program, login"
        ),
        (
            "title = \"Acme\"\n[[file]]\npaths = [\"acme.json\"]\nformat = \"json\"",
            "acme.toml:3: file.0.paths.0: found \"acme.json\", expected a path that begins with ~/, / or "
                + "a variable such as $CONFIG_HOME/"
        ),
        (
            "title = \"Acme\"\n[[file]]\npaths = \"~/a\"\nformat = \"json\"\n[file.session]\n"
                + "access = \"a\"",
            "acme.toml:5: file.0.session: found a table, expected a list of tables, each with the "
                + "header [[file.session]]"
        ),
        (
            "title = \"Acme\"\n[[file]]\npaths = \"~/a/../b\"\nformat = \"json\"",
            "acme.toml:3: file.0.paths: found \"~/a/../b\", expected a path that begins with ~/, / or "
                + "a variable such as $CONFIG_HOME/"
        ),
        (
            "title = \"Acme\"\n[[file]]\npaths = \"~/a\"\nformat = \"json\"\n[[file.session]]\n"
                + "acess = \"a\"",
            "acme.toml:6: file.0.session.0.acess: unknown key \"acess\", the nearest known one is access"
        ),
        (
            "title = \"Acme\"\n[[file]]\npaths = \"~/a\"\nformat = \"json\"\n[[file.session]]\n"
                + "account = \"a\"",
            "acme.toml:5: file.0.session.0.access: missing, expected the place of a token: access, "
                + "refresh or id_token"
        ),
        (
            "title = \"Acme\"\n[[file]]\npaths = \"~/a\"\nformat = \"json\"\n[[file.session]]\n"
                + "access = \"a..b\"",
            "acme.toml:6: file.0.session.0.access: found \"a..b\", expected keys with a point between "
                + "them, such as tokens.access_token"
        ),
    ]

    @Test("a mistake is told by file, line and key", arguments: mistakes.indices)
    func mistake(index: Int) {
        let (text, message) = Self.mistakes[index]
        let error = #expect(throws: DialectError.self) {
            _ = try StoreDefinition(toml: text, file: "acme.toml", name: "acme")
        }
        #expect(error?.description == message)
    }

    @Test("a variable without an absolute path leads nowhere, and one with a list to each of it")
    func variables() throws {
        let path = try #require(StorePath("$KUBECONFIG"))
        #expect(path.bases(in: ["KUBECONFIG": "relative"]).isEmpty)
        #expect(path.bases(in: [:]).isEmpty)
        #expect(path.bases(in: ["KUBECONFIG": "/a:/b"]) == ["/a", "/b"])
        let config = try #require(StorePath("$XDG_CONFIG_HOME/gh/hosts.yml"))
        #expect(config.bases(in: ["HOME": "/home/a"]) == ["/home/a/.config"])
    }
}
