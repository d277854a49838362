import Basics
import Testing

@Suite("TOML: hostile text is an error, never a crash")
struct HostileTextTests {
    @Test("a text has a largest size")
    func size() throws {
        _ = try TOMLReader.read(text(ofSize: TOMLReader.sizeLimit), file: "x.toml")
        let error = #expect(throws: TOMLError.self) {
            try TOMLReader.read(text(ofSize: TOMLReader.sizeLimit + 1), file: "x.toml")
        }
        #expect(error?.problem == .tooLarge(limit: TOMLReader.sizeLimit))
        #expect(error?.line == nil)
    }

    private func text(ofSize size: Int) -> String {
        String(repeating: "#", count: size)
    }

    @Test("what is nested too deeply is refused, however it is written")
    func depth() {
        let key = Array(repeating: "a", count: 100_000).joined(separator: ".")
        let texts = [
            "[\(key)]\n", "\(key) = 1\n", "[[\(key)]]\n", "x = {\(key) = 1}\n",
            "a = " + String(repeating: "[", count: 200_000),
            "a = " + String(repeating: "{a=", count: 60_000),
        ]
        for text in texts {
            let error = #expect(throws: TOMLError.self) {
                try TOMLReader.read(text, file: "x.toml")
            }
            #expect(error?.problem == .nestedTooDeeply)
            #expect(error?.line == 1)
        }
    }

    @Test("sixteen levels are read")
    func notTooDeep() throws {
        let key = Array(repeating: "a", count: 16).joined(separator: ".")
        let file = try TOMLReader.read("[\(key)]\n\(key) = [[[1]]]", file: "x.toml")
        guard case .table(let members) = file.value else {
            Issue.record("a file is a table")
            return
        }
        #expect(Array(members.keys) == ["a"])
    }

    @Test("a hundred thousand keys, lines and elements are read in time", .timeLimit(.minutes(20)))
    func many() throws {
        let texts = [
            (0..<20_000).map { "k\($0) = 1\n" }.joined(),
            "a = [" + String(repeating: "1,", count: 100_000) + "]",
            String(repeating: "[[a]]\n", count: 40_000),
            String(repeating: "\n", count: 200_000) + "name = 1",
        ]
        let counts = try texts.map { text in
            switch try TOMLReader.read(text, file: "x.toml").value {
            case .table(let members): members.count
            case .string, .integer, .number, .bool, .date, .list: 0
            }
        }
        #expect(counts == [20_000, 1, 1, 1])
    }
}
