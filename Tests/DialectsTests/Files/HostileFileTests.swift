import Testing

@testable import Dialects

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

    @Test("what is nested too deeply is refused, however it is written")
    func depth() {
        let key = Array(repeating: "a", count: 100_000).joined(separator: ".")
        let hostile = [
            "[\(key)]\n", "\(key) = 1\n", "[[\(key)]]\n", "x = {\(key) = 1}\n",
            "a = " + String(repeating: "[", count: 200_000),
            "a = " + String(repeating: "{a=", count: 60_000),
        ]
        for text in hostile {
            let error = #expect(throws: DialectError.self) {
                try Dialect(toml: text, file: "deep.toml")
            }
            #expect(
                error?.description.hasPrefix("deep.toml:1: not TOML: nested too deeply") ?? false
            )
        }
    }

    @Test("sixteen levels are enough for everybody")
    func notTooDeep() throws {
        let key = Array(repeating: "a", count: 16).joined(separator: ".")
        _ = try TOMLReader.read("[\(key)]\n\(key) = [[[1]]]", file: "x.toml")
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

    @Test("a hundred thousand keys, lines and elements are read in time", .timeLimit(.minutes(5)))
    func many() {
        let texts = [
            (0..<20_000).map { "k\($0) = 1\n" }.joined(),
            "a = [" + String(repeating: "1,", count: 100_000) + "]",
            String(repeating: "[[a]]\n", count: 40_000),
            String(repeating: "\n", count: 200_000) + "name = 1",
        ]
        for text in texts {
            #expect(throws: DialectError.self) { try Dialect(toml: text, file: "x.toml") }
        }
    }

    @Test("files with bytes changed at random are read or refused", arguments: 0..<10)
    func mutations(seed: Int) {
        var random = Mutator(seed: seed)
        for text in Dialect.builtInSources.values {
            for _ in 0..<4 {
                let mutated = random.mutated(Array(text.utf8))
                _ = try? Dialect(toml: String(decoding: mutated, as: UTF8.self), file: "x.toml")
            }
        }
    }
}
