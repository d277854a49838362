import Testing

@testable import Dialects

@Suite("TOML lines: where a key stands")
struct TOMLLinesTests {
    private static let text = #"""
        # a remark
        name = "x"          # line 2

        [a]
        b = 1
        c.d = 2
        "quoted key" = '[not a table]'
        long = """
        [not.a.table]
        e = 5 # no remark
        """
        list = [
          1, # [remark]
          [ 2, 3 ],
          { f = 4, g = { h = 5 } },
        ]
        'lit.eral' = 6

        [[rules]]
        status = 401
        [[rules]]
        status = 403
        [rules.inner]
        deep = '''a ''quoted'' text'''
        after = 7

        [x.y."z.w"]
        ß = 8
        """#

    @Test(
        "every key's line is found",
        arguments: [
            (["name"], 2), (["a"], 4), (["a", "b"], 5), (["a", "c"], 6), (["a", "c", "d"], 6),
            (["a", "quoted key"], 7), (["a", "long"], 8), (["a", "list"], 12),
            (["a", "list", "0"], 13), (["a", "list", "1"], 14), (["a", "list", "1", "1"], 14),
            (["a", "list", "2", "f"], 15), (["a", "list", "2", "g", "h"], 15),
            (["a", "lit.eral"], 17), (["rules"], 19), (["rules", "0", "status"], 20),
            (["rules", "1", "status"], 22), (["rules", "1", "inner", "deep"], 24),
            (["rules", "1", "inner", "after"], 25), (["x", "y", "z.w"], 27),
        ] as [([String], Int)]
    )
    func found(path: [String], line: Int) throws {
        #expect(try TOMLLines(scanning: Self.text).line(of: path) == line)
    }

    @Test("an unknown key has the line of what is around it")
    func nearest() throws {
        let lines = try TOMLLines(scanning: Self.text)
        #expect(lines.line(of: ["a", "c", "nothing"]) == 6)
        #expect(lines.line(of: ["nothing"]) == 1)
    }

    @Test("what is nested too deeply is refused before the library sees it")
    func depth() {
        let key = Array(repeating: "a", count: 100_000).joined(separator: ".")
        let hostile = [
            "[\(key)]\n", "\(key) = 1\n", "[[\(key)]]\n", "x = {\(key) = 1}\n",
            "a = " + String(repeating: "[", count: 200_000),
            "a = " + String(repeating: "{a=", count: 60_000),
        ]
        for text in hostile {
            #expect(throws: TOMLLines.TooDeep.self) { try TOMLLines(scanning: text) }
            let error = #expect(throws: DialectError.self) {
                try Dialect(toml: text, file: "deep.toml")
            }
            #expect(
                error?.description
                    == "deep.toml:1: nested too deeply, expected at most 16 levels"
            )
        }
    }

    @Test("sixteen levels are enough for everybody")
    func notTooDeep() throws {
        let key = Array(repeating: "a", count: 16).joined(separator: ".")
        _ = try TOMLReader.read("[\(key)]\n\(key) = [[[1]]]", file: "x.toml")
    }
}
