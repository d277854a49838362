import Testing

/// Text with a syntax is bytes or Unicode scalars: to a `Character`, a quotation mark before a combining
/// mark is none, CR LF is one, and `lowercased()` makes a letter of the Kelvin sign.
@Suite("Text of protocols")
struct ProtocolTextTests {
    /// The folders with what reads the text of a server, an app, a file or a shell.
    static let folders = [
        "Backend", "Basics", "Client", "HTTP", "Model/Recordings", "Observer", "Platform",
        "Profiles", "Proxy", "Sandbox", "authtop",
    ]

    /// Files in which characters are meant, and why.
    static let exceptions = [
        "ResponseRule.swift": "compares the sentences of servers, in any language",
        "ServerMessage.swift": "shortens the sentences of servers",
        "TOMLCursor.swift": "names the character that was not expected",
        "TOMLCursor+Scalars.swift": "has only ASCII, after a check of its bytes",
        "TokenPair.swift": "changes a character of an array, which has only ASCII",
        "Tool.swift": "shortens what a program said to the user",
    ]

    private static var patterns: [(pattern: Regex<Substring>, remedy: String)] {
        [
            (/\.(?:lower|upper)cased\b/, "asciiLowercased, isEqualIgnoringCase(_:)"),
            (/\.has(?:Prefix|Suffix)\b/, "begins(with:), part(after:), part(upTo:)"),
            (/\.split\(separator: "/, "parts(at:), halves(at:)"),
            (
                /\.(?:components|trimmingCharacters|caseInsensitiveCompare)\(/,
                "parts(at:), trimming"
            ),
            (/(?:first|last)(?:Index|Range)\(of: "/, "halves(at:), part(before:), range(ofBytes:)"),
            (/\.replacing\("/, "replacing(bytes:with:)"),
            (/\.is(?:Whitespace|Newline|Number|Uppercase|Lowercase)\b/, "utf8, lines"),
            (/\.(?:wholeNumberValue|asciiValue)\b/, "utf8"),
            (/(?:: |<|-> )Character\b(?!\()/, "Unicode.Scalar or UInt8"),
            (/\.(?:first|last) [!=]= "/, "begins(with:), ends(with:)"),
            (/\.contains\("\\?."\)/, "has(_:)"),
            (/\$0 [!=]= "\\?."/, "unicodeScalars or utf8"),
            (/[a-rt-z0-9]\.contains\("[^"]{2,}"\)/, "containsBytes(of:)"),
            (/[!=]= "[^"]*[K;`][^"]*"/, "utf8: U+212A is equal to K, U+037E to a semicolon"),
        ]
    }

    @Test("is read by its bytes or scalars, never by its characters")
    func bytes() throws {
        let patterns = Self.patterns
        let tree = try SourceTree("Sources")
        for (pattern, remedy) in patterns {
            let offences = tree.places { file in
                Self.folders.contains { file.path.hasPrefix("Sources/\($0)/") }
                    && Self.exceptions[file.name] == nil
            } where: { line in
                line.firstMatch(of: pattern) != nil && !line.contains("unicodeScalars")
            }
            #expect(offences.isEmpty, "use \(remedy) of Basics/Text/ASCIIText.swift")
        }
    }

    @Test("every exception is still needed", arguments: exceptions.keys.sorted())
    func isNeeded(name: String) throws {
        let file = try #require(try SourceTree("Sources").files.first { $0.name == name })
        let isCharacterUsed = file.lines.contains { line in
            Self.patterns.contains { line.firstMatch(of: $0.pattern) != nil }
        }
        #expect(isCharacterUsed, "leave it out of the list")
    }
}
