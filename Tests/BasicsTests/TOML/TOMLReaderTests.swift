import Basics
import Testing

@Suite("TOML: values, and the lines on which they stand")
struct TOMLReaderTests {
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
        k = 8
        """#

    @Test(
        "every key's line is known",
        arguments: [
            ("name", 2), ("a", 4), ("a/b", 5), ("a/c", 6), ("a/c/d", 6), ("a/quoted key", 7),
            ("a/long", 8), ("a/list", 12), ("a/list/0", 13), ("a/list/1", 14), ("a/list/1/1", 14),
            ("a/list/2/f", 15), ("a/list/2/g/h", 15), ("a/lit.eral", 17), ("rules", 19),
            ("rules/0/status", 20), ("rules/1/status", 22), ("rules/1/inner/deep", 24),
            ("rules/1/inner/after", 25), ("x/y/z.w", 27), ("x/y/z.w/k", 28),
        ]
    )
    func lines(path: String, line: Int) throws {
        let file = try TOMLReader.read(Self.text, file: "x.toml")
        let item = try #require(file.inner(path))
        #expect(item.line == line)
        #expect(item.path == path.replacing("/", with: "."))
    }

    @Test(
        "every kind of value is read",
        arguments: [
            (#""a\tb\"\\\u00e9\U0001F600""#, .string("a\tb\"\\é😀")),
            (#"'C:\path'"#, .string(#"C:\path"#)),
            ("\"\"\"\n one \\\n   two\n three\"\"\"", .string(" one two\n three")),
            (#""""two quotes""""""#, .string(#"two quotes"""#)),
            ("'''\r\na\r\nb'''", .string("a\nb")),
            ("\"\"", .string("")),
            ("0", .integer(0)), ("+1_000", .integer(1000)), ("-17", .integer(-17)),
            ("0xDEAD_beef", .integer(0xDEAD_BEEF)), ("0o755", .integer(493)),
            ("0b101", .integer(5)), ("9223372036854775807", .integer(.max)),
            ("3.25", .number(3.25)), ("-1e3", .number(-1000)), ("6.5E-1", .number(0.65)),
            ("inf", .number(.infinity)), ("-inf", .number(-.infinity)),
            ("true", .bool(true)), ("false", .bool(false)),
            ("[]", .list([])), ("{}", .table([:])),
        ] as [(String, TOMLItem.Value)]
    )
    func values(text: String, expected: TOMLItem.Value) throws {
        let file = try TOMLReader.read("a = \(text)", file: "x.toml")
        #expect(file.inner("a")?.value == expected)
    }

    @Test(
        "what is no TOML is refused with its line",
        arguments: [
            ("[#", 1, .unexpected("#"), "expected a key"),
            ("[", 1, .endOfFile, "expected a key"),
            ("[a\n", 1, .endOfLine, "expected ] after the table's name"),
            ("[[a]", 1, .unexpected("]"), "expected ]] after the table's name"),
            ("\na", 2, .endOfFile, "expected = after the key"),
            ("a.=1", 1, .unexpected("="), "expected a key"),
            ("a =\n", 1, .endOfLine, "expected a value"),
            ("a = 1 b = 2", 1, .unexpected("b"), "expected the end of the line"),
            ("a = \"x\n\"", 1, .endOfLine, "expected \" at the end of the text"),
            ("a = \n'''\nx", 1, .endOfLine, "expected a value"),
            ("\na = '''\nx", 2, .unterminatedString, "expected ''' somewhere"),
            (#"a = "\x""#, 1, .unknownEscape, #"expected one such as \n or \u00e9"#),
            (#"a = "\ud800""#, 1, .unknownEscape, #"expected one such as \n or \u00e9"#),
            ("a = [1 2]", 1, .unexpected("2"), "expected a comma or ] in the list"),
            ("a = [\n1,\n", 3, .endOfFile, "expected a value"),
            ("a = { b = 1, }", 1, .unexpected("}"), "expected a key"),
            ("a = { b = 1\n}", 1, .endOfLine, "expected a comma or } in the table"),
            ("a = 1\na = 2", 2, .duplicateKey("a"), nil),
            ("[a]\n[a]", 2, .duplicateKey("a"), nil),
            ("[a.b]\n[a]\nb.c = 1", 3, .duplicateKey("b"), nil),
            ("a.b = 1\n[a]", 2, .duplicateKey("a"), nil),
            ("a = {}\n[a.b]", 2, .notATable("a"), nil),
            ("a = []\n[[a]]", 2, .duplicateKey("a"), nil),
            ("a = \u{1}", 1, .unexpected("\u{1}"), "expected a value"),
            ("# \u{1}", 1, .controlCharacter, nil),
            ("a = '\u{0}'", 1, .controlCharacter, nil),
            ("a = b", 1, .unknownValue("b"), "expected text in quotes, a number, true or false"),
        ] as [(String, Int, TOMLError.Problem, String?)]
    )
    func refused(text: String, line: Int, problem: TOMLError.Problem, expected: String?) {
        let error = #expect(throws: TOMLError.self) {
            try TOMLReader.read(text, file: "x.toml")
        }
        #expect(error?.file == "x.toml")
        #expect(error?.line == line)
        #expect(error?.problem == problem)
        #expect(error?.expected == expected)
    }

    @Test(
        "numbers that are none are refused",
        arguments: [
            "01", "1_", "_1", "1__0", "1_e5", "1.", ".5", "1.e5", "0x", "0x_1", "0XF", "+0x1",
            "--1", "1e", "9223372036854775808", "TRUE", "nul", "é",
        ]
    )
    func noNumbers(text: String) {
        #expect(throws: TOMLError.self) { try TOMLReader.read("a = \(text)", file: "x.toml") }
    }

    @Test(
        "dates and times are those of RFC 3339",
        arguments: [
            "1979-05-27", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00.5-07:00", "07:32:00",
            "1979-05-27t07:32:00z", "1979-05-27T07:32:00", "07:32:00.999", "2024-02-29",
            "2000-02-29", "1990-12-31T23:59:60Z",
        ]
    )
    func dates(text: String) throws {
        let file = try TOMLReader.read("a = \(text)", file: "x.toml")
        #expect(file.inner("a")?.value == .date)
    }

    @Test(
        "dates that no calendar has are refused",
        arguments: [
            "1979-13-01", "1979-00-01", "1979-02-30", "2023-02-29", "1900-02-29", "1979-5-27",
            "25:00:00", "07:60:00", "07:32:61", "07:32", "07:32:00.", "1979-05-27T",
            "1979-05-27T07:32", "1979-05-27T07:32:00+7", "1979-05-27T07:32:00+25:00",
            "1979-05-27T07:32:00,5", "1979-05-27Z",
        ]
    )
    func noDates(text: String) {
        let error = #expect(throws: TOMLError.self) {
            try TOMLReader.read("a = \(text)", file: "x.toml")
        }
        #expect(error?.line == 1)
    }

    @Test("tables may be named out of order, and dotted keys may go on")
    func tables() throws {
        let text = "[a.b]\nx = 1\n[a]\ny = 2\nc.d = 3\nc.e = 4\n[a.c.f]\nz = 5\n[[a.g]]\n[[a.g]]"
        let file = try TOMLReader.read(text, file: "x.toml")
        for path in ["a/b/x", "a/y", "a/c/d", "a/c/e", "a/c/f/z", "a/g/1"] {
            #expect(file.inner(path) != nil, "\(path)")
        }
    }
}

extension TOMLItem {
    /// The value under keys and positions joined by slashes.
    fileprivate func inner(_ path: String) -> TOMLItem? {
        path.split(separator: "/").reduce(self as TOMLItem?) { item, key in
            switch item?.value {
            case .table(let members): members[String(key)]
            case .list(let items): Int(key).flatMap { items.indices.contains($0) ? items[$0] : nil }
            default: nil
            }
        }
    }
}
