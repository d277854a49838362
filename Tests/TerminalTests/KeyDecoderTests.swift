import Testing
import UI

@testable import Terminal

@Suite("Key decoding")
struct KeyDecoderTests {
    private static func codes(_ text: String) -> [Int32] {
        text.utf8.map(Int32.init)
    }

    @Test(
        "a byte is a key",
        arguments: [
            (0, Key.control("@")), (1, .control("a")), (3, .control("c")), (26, .control("z")),
            (28, .control("\\")), (31, .control("_")), (8, .backspace), (127, .backspace),
            (9, .tab), (10, .enter), (13, .enter), (27, .escape), (32, .character(" ")),
            (63, .character("?")), (126, .character("~")),
        ] as [(Int32, Key)]
    )
    func bytes(code: Int32, key: Key) {
        var decoder = KeyDecoder()
        #expect(decoder.keys([code]) == [key])
    }

    @Test(
        "a number of ncurses is a key",
        arguments: [
            (0o403, Key.up), (0o402, .down), (0o404, .left), (0o405, .right), (0o406, .home),
            (0o550, .end), (0o523, .pageUp), (0o522, .pageDown), (0o512, .delete),
            (0o407, .backspace), (0o527, .enter), (0o541, .shiftTab),
            (0o411, .function(1)), (0o424, .function(12)),
        ] as [(Int32, Key)]
    )
    func numbers(code: Int32, key: Key) {
        var decoder = KeyDecoder()
        #expect(decoder.keys([code]) == [key])
    }

    @Test(
        "a mouse report is a click or a turn of the wheel, at a cell counted from 0",
        arguments: [
            ("\u{1B}[<0;1;1M", MouseEvent(.click, column: 0, row: 0)),
            ("\u{1B}[<64;120;40M", MouseEvent(.wheelUp, column: 119, row: 39)),
            ("\u{1B}[<65;7;300M", MouseEvent(.wheelDown, column: 6, row: 299)),
        ]
    )
    func mouse(text: String, event: MouseEvent) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Self.codes(text)) == [.mouse(event)])
    }

    @Test(
        "a release, another button and a malformed report are nothing",
        arguments: [
            "\u{1B}[<0;1;1m", "\u{1B}[<2;1;1M", "\u{1B}[<0;0;1M", "\u{1B}[<0;1M", "\u{1B}[<;;M",
            "\u{1B}[<99999999999999999999;1;1M",
        ]
    )
    func otherMouseReports(text: String) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Self.codes(text)) == [])
    }

    @Test("a number without a name, such as a resize, is no key", arguments: [0o632, 0o631, 600])
    func unnamedNumbers(code: Int32) {
        var decoder = KeyDecoder()
        #expect(decoder.keys([code]) == [])
    }

    @Test("Alt and a letter are escape and the letter")
    func alt() {
        var decoder = KeyDecoder()
        #expect(decoder.keys(Self.codes("\u{1B}x")) == [.escape, .character("x")])
    }

    @Test("an escape that ends a burst is the key, whatever comes later")
    func escapeAlone() {
        var decoder = KeyDecoder()
        #expect(decoder.keys([27]) == [.escape])
        #expect(decoder.keys(Self.codes("[5~")) == ["[", "5", "~"].map(Key.character))
    }

    @Test(
        "an unknown sequence presses nothing",
        arguments: ["\u{1B}[15;5~", "\u{1B}[1;5A", "\u{1B}[201~", "\u{1B}Ox", "\u{1B}[?1;2"]
    )
    func unknownSequences(sequence: String) {
        var decoder = KeyDecoder()
        #expect(decoder.keys(Self.codes(sequence)) == [])
        #expect(decoder.keys(Self.codes("z")) == [.character("z")])
    }

    @Test("what follows an unknown sequence is read")
    func afterUnknownSequence() {
        var decoder = KeyDecoder()
        #expect(decoder.keys(Self.codes("\u{1B}[15;5~q")) == [.character("q")])
    }

    @Test(
        "a report of the focus is no key, and spoils none around it",
        arguments: [("\u{1B}[I", true), ("\u{1B}[O", false)]
    )
    func focus(sequence: String, isIn: Bool) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Self.codes(sequence)) == [.focus(isIn: isIn)])
        #expect(
            decoder.decode(Self.codes("a\(sequence)b"))
                == [.key("a"), .focus(isIn: isIn), .key("b")]
        )
    }

    @Test(
        "an escape, a bracket and a letter that are typed one after the other are three keys",
        arguments: ["I", "O"] as [Character]
    )
    func typedSlowly(letter: Character) {
        var decoder = KeyDecoder()
        #expect(decoder.decode([27]) == [.key(.escape)])
        #expect(decoder.decode(Self.codes("[")) == [.key("[")])
        #expect(decoder.decode(Self.codes(String(letter))) == [.key(.character(letter))])
        // Alt-[ and then the letter.
        #expect(decoder.decode(Self.codes("\u{1B}[")) == [.key(.escape), .key("[")])
        #expect(decoder.decode(Self.codes(String(letter))) == [.key(.character(letter))])
    }

    @Test(
        "what is pasted is one text, however it arrives, and no key",
        arguments: [
            ["a\u{1B}[200~lLq\u{1B}[201~b"],
            ["a\u{1B}[200~l", "Lq\u{1B}", "[20", "1~b"],
            ["a", "\u{1B}[200~", "l", "L", "q", "\u{1B}[201~", "b"],
        ]
    )
    func pasted(bursts: [String]) {
        var decoder = KeyDecoder()
        let events = bursts.flatMap { decoder.decode(Self.codes($0)) }
        #expect(events == [.key("a"), .pasted("lLq"), .key("b")])
    }

    @Test("control characters and broken UTF-8 in a pasted text are dropped, keys of ncurses too")
    func pastedControls() {
        var decoder = KeyDecoder()
        let text = Self.codes("\u{1B}[200~ä\r\n\t\u{1B}[Ab") + [0xFF, 0o402]
        #expect(decoder.decode(text + Self.codes("\u{1B}[201~")) == [.pasted("ä[Ab")])
    }

    @Test("Ctrl-C ends a paste whose end never comes")
    func endlessPaste() {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Self.codes("\u{1B}[200~abc")) == [])
        #expect(decoder.decode([3]) == [.key(.control("c")), .pasted("abc")])
        #expect(decoder.keys(Self.codes("q")) == ["q"])
    }

    @Test(
        "the answer about the ground is no key, however it arrives",
        arguments: [
            ["a\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\b"], ["a\u{1B}]11;rgb:ff/ff/ff\u{07}b"],
            ["a\u{1B}]", "11;rgb:ffff/", "ffff/ffff", "\u{07}b"],
            ["a\u{1B}]11;rgba:f/f/f/8\u{1B}", "\\b"],
        ]
    )
    func ground(bursts: [String]) {
        var decoder = KeyDecoder()
        decoder.awaitsGround = true
        let events = bursts.flatMap { decoder.decode(Self.codes($0)) }
        #expect(events == [.key("a"), .ground(isLight: true), .key("b")])
        #expect(!decoder.awaitsGround)
    }

    @Test(
        "a ground is light or dark, or is not said",
        arguments: [
            ("rgb:0000/0000/0000", [false]), ("rgb:fdfd/f6f6/e3e3", [true]),
            ("rgb:1a/1b/26", [false]), ("rgb:12345/0/0", []), ("rgb:00/00", []), ("?", []),
        ] as [(String, [Bool])]
    )
    func grounds(color: String, isLight: [Bool]) {
        var decoder = KeyDecoder()
        decoder.awaitsGround = true
        let events = decoder.decode(Self.codes("\u{1B}]11;\(color)\u{07}"))
        let grounds = events.filter { if case .ground = $0 { true } else { false } }
        #expect(grounds == isLight.map { .ground(isLight: $0) })
    }

    @Test("what begins like the answer and is none, or was not asked for, is keys as before")
    func noGround() {
        var decoder = KeyDecoder()
        #expect(decoder.keys(Self.codes("\u{1B}]1")) == [.escape, "]", "1"])
        decoder.awaitsGround = true
        #expect(decoder.decode(Self.codes("\u{1B}]q")) == [.key("q")])
        #expect(decoder.decode(Self.codes("\u{1B}")) == [.key(.escape)])
        #expect(decoder.decode(Self.codes("x]")) == [.key("x"), .key("]")])
    }

    @Test("a sequence with the same letter and a number is no report")
    func numbered() {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Self.codes("\u{1B}[1I")) == [])
    }

    @Test("a character split between two bursts arrives once")
    func splitCharacter() {
        var decoder = KeyDecoder()
        #expect(decoder.keys([0xE6, 0xBC]) == [])
        #expect(decoder.keys([0xA2]) == [.character("漢")])
    }

    @Test("a character with its marks is one key")
    func combined() {
        var decoder = KeyDecoder()
        #expect(decoder.keys(Self.codes("e\u{301}x")) == ["e\u{301}", "x"].map(Key.character))
    }

    @Test(
        "bytes that are not UTF-8 are dropped and spoil nothing after them",
        arguments: [
            [0xFF], [0x80], [0xC0, 0x80], [0xC3], [0xE6, 0xBC], [0xED, 0xA0, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xC2, 0x9B],
        ] as [[Int32]]
    )
    func invalidBytes(bytes: [Int32]) {
        var decoder = KeyDecoder()
        #expect(decoder.keys(bytes + Self.codes("aé")) == ["a", "é"].map(Key.character))
    }

    @Test("the common sequences name keys, and each is there once")
    func commonSequences() {
        let sequences = KeyCodes.commonSequences.map(\.sequence)
        #expect(Set(sequences).count == sequences.count)
        for (sequence, code) in KeyCodes.commonSequences {
            #expect(KeyCodes.key(of: code) != nil, "\(sequence.debugDescription)")
        }
    }
}

extension KeyDecoder {
    /// The keys alone; anything else is told as none.
    fileprivate mutating func keys(_ burst: [Int32]) -> [Key] {
        decode(burst).compactMap { event in
            if case .key(let key) = event { key } else { nil }
        }
    }
}
