import Testing

@testable import Profiles

@Suite("Hostile files: an error, never a crash")
struct HostileFileTests {
    @Test("a file has a largest size")
    func size() {
        let text = String(repeating: "#", count: 256 * 1024 + 1)
        let error = #expect(throws: DialectError.self) {
            try Dialect(toml: text, file: "huge.toml")
        }
        #expect(error?.description == "huge.toml: the file is larger than 256 KiB")
    }

    @Test("a zero byte hides nothing behind it")
    func zero() {
        let error = #expect(throws: DialectError.self) {
            try Dialect(toml: "name = \"x\"\n\0[login]", file: "zero.toml")
        }
        #expect(error?.description == "zero.toml:2: not TOML: found \" \", expected a key")
    }

    @Test(
        "what is no TOML is refused in one line that names the place",
        arguments: [
            ("[#", 1, "found \"#\", expected a key"),
            ("[", 1, "the file ends, expected a key"),
            ("a =\n", 1, "the line ends, expected a value"),
            ("\na = '''\nx", 2, "the string is not terminated, expected ''' somewhere"),
            (#"a = "\x""#, 1, #"an unknown escape, expected one such as \n or \u00e9"#),
            ("a = 1\na = 2", 2, #""a" is already defined"#),
            ("a = {}\n[a.b]", 2, #""a" is not a table"#),
            ("a = \u{1}", 1, "found \" \", expected a value"),
            ("a = '\u{0}'", 1, "a control character"),
            (
                "a = b\u{202E}", 1,
                "\"b \" is not a value, expected text in quotes, a number, true or false"
            ),
            (
                "a = " + String(repeating: "[", count: 20), 1,
                "nested too deeply, expected at most 16 levels"
            ),
        ]
    )
    func notTOML(text: String, line: Int, message: String) {
        let error = #expect(throws: DialectError.self) {
            try Dialect(toml: text, file: "x.toml")
        }
        #expect(error?.description == "x.toml:\(line): not TOML: \(message)")
    }

    @Test(
        "odd but well-formed values are refused in words",
        arguments: [
            "[#", "[\n", "\"na\\u0000me\" = 1", "name = 1979-05-27", "name = 07:32:00",
            "name = [\"a\"]",
            "name = nan", "name = {}", "\"\" = 1", "name = \"\"", "login = [[[]]]",
            "[lifetimes]\naccess = inf", "[lifetimes]\naccess = 9223372036854775807",
            "name = \"a\\u001b[31m\"",
        ]
    )
    func odd(text: String) {
        let error = #expect(throws: DialectError.self) { try Dialect(toml: text, file: "odd.toml") }
        let message = error?.description ?? ""
        #expect(message.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }

    @Test("a long value is told in part only")
    func longValue() {
        let text = "name = \"\(String(repeating: "a", count: 100_000))\""
        let error = #expect(throws: DialectError.self) { try Dialect(toml: text, file: "x.toml") }
        #expect((error?.description.count ?? 0) < 200)
    }

    @Test("files with bytes changed at random are read, or refused at a line", arguments: 0..<10)
    func mutations(seed: Int) {
        var random = Mutator(seed: seed)
        for text in Dialect.builtInSources.values {
            for _ in 0..<4 {
                let mutated = String(
                    decoding: random.mutated(Array(text.utf8)),
                    as: UTF8.self
                )
                let lines = mutated.utf8.count { $0 == UInt8(ascii: "\n") } + 1
                do throws(DialectError) {
                    _ = try Dialect(toml: mutated, file: "x.toml")
                } catch {
                    #expect((1...lines).contains(error.line ?? 0), "\(error)")
                }
            }
        }
    }
}
