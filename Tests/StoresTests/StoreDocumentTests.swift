import Basics
import Testing

@testable import Stores

@Suite("Stores: formats", .timeLimit(.minutes(10)))
struct StoreDocumentTests {
    private func yaml(_ text: String) -> JSONValue? {
        StoreDocument.read(Array(text.utf8), as: .yaml)
    }

    @Test("YAML has its lists, tables, texts, numbers and aliases")
    func yamlValues() {
        let text = """
            list: [a, 'b', "c", 4, 0x10, ~, true]
            table: &t {k: v}
            again: *t
            folded: >-
              one
              two
            """
        #expect(
            yaml(text)
                == .object([
                    "list": .array([
                        .string("a"), .string("b"), .string("c"), .integer(4), .string("0x10"),
                        .null,
                        .bool(true),
                    ]),
                    "table": .object(["k": .string("v")]),
                    "again": .object(["k": .string("v")]),
                    "folded": .string("one two"),
                ])
        )
    }

    @Test("YAML that is nested too deeply, or grows by its aliases, is refused at once")
    func yamlBombs() {
        #expect(yaml(String(repeating: "[", count: 100_000)) == nil)
        #expect(yaml(String(repeating: "- ", count: 10_000) + "a") == nil)
        var bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
        for level in 1...9 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ",")
            bomb += "a\(level): &a\(level) [\(aliases)]\n"
        }
        #expect(yaml(bomb) == nil)
        #expect(yaml("a: *a") == nil)
        #expect(yaml("\u{0}") == nil)
    }

    @Test(
        "a byte order mark is no part of the text",
        arguments: [
            (.ini, "[a]\nk=v", .object(["a": .object(["k": .string("v")])])),
            (.json, #"{"k": "v"}"#, .object(["k": .string("v")])),
            (.toml, "k = 'v'", .object(["k": .string("v")])),
            (.yaml, "k: v", .object(["k": .string("v")])), (.plain, "v\n", .string("v")),
        ] as [(StoreFiles.Format, String, JSONValue)]
    )
    func mark(format: StoreFiles.Format, text: String, value: JSONValue) {
        for mark in ["", "\u{FEFF}"] {
            #expect(StoreDocument.read(Array((mark + text).utf8), as: format) == value)
        }
    }

    @Test("an INI file has its sections, and what stands before them")
    func ini() {
        let text = "k = 1\n; c\n[a b]\nx=y=z\r\n# d\n[c]\n"
        #expect(
            StoreDocument.read(Array(text.utf8), as: .ini)
                == .object([
                    "k": .string("1"), "a b": .object(["x": .string("y=z")]), "c": .object([:]),
                ])
        )
    }

    @Test("a netrc file has its machines, with any blanks between the words")
    func netrc() {
        let text = "machine a\n\tlogin b password c\ndefault login d\n"
        #expect(
            StoreDocument.read(Array(text.utf8), as: .netrc)
                == .array([
                    .object([
                        "machine": .string("a"), "login": .string("b"), "password": .string("c"),
                    ]),
                    .object(["machine": .string("default"), "login": .string("d")]),
                ])
        )
    }

    @Test("what a URL has of a user and a password is decoded, and nothing else of it")
    func urls() {
        let text = "https://a%40b:%2fp%25+q@c%41.example/path\nhttps://d.example\n"
        #expect(
            StoreDocument.read(Array(text.utf8), as: .urls)
                == .array([
                    .object([
                        "host": .string("c%41.example"), "url": .string("https://c%41.example"),
                        "user": .string("a@b"), "password": .string("/p%+q"),
                    ])
                ])
        )
    }

    @Test(
        "a key with * stands for any text by its bytes",
        arguments: [
            ("*", "", true), ("a*", "abc", true), ("a*", "b", false),
            ("*:_authToken", "x:_authToken", true),
            ("a*b*c", "a1b2c", true), ("a*b*c", "acb", false), ("ab*ba", "aba", false),
            ("a", "A", false),
        ]
    )
    func patterns(pattern: String, key: String, matches: Bool) {
        #expect(KeyPattern(pattern).matches(key) == matches)
    }
}
