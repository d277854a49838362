import Testing

@testable import HTTP

@Suite("UTF-8, checked as it arrives")
struct UTF8ValidatorTests {
    @Test(
        "a sequence is refused at its first impossible byte",
        arguments: [
            ([0x80], 0), ([0xC0], 0), ([0xC1], 0), ([0xF5], 0), ([0xFF], 0),
            ([0xC2, 0x41], 1), ([0xE0, 0x9F], 1), ([0xED, 0xA0], 1), ([0xF0, 0x8F], 1),
            ([0xF4, 0x90], 1), ([0xE1, 0x80, 0xC0], 2), ([0xF1, 0x80, 0x80, 0x7F], 3),
            (Array("αβγ eight and more ASCII".utf8) + [0xED, 0xBF], 28),
        ] as [([UInt8], Int)]
    )
    func refused(bytes: [UInt8], at index: Int) {
        var validator = UTF8Validator()
        for (position, byte) in bytes.enumerated() {
            let accepted = validator.accepts([byte].span)
            #expect(accepted == (position < index), "byte \(position)")
            if position == index { break }
        }
    }

    @Test(
        "the last code point of each length is accepted and complete",
        arguments: ["\u{7F}", "\u{7FF}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10FFFF}"]
    )
    func boundaries(text: String) {
        var validator = UTF8Validator()
        let accepted = validator.accepts(text.bytes.span)
        #expect(accepted && validator.isComplete)
    }

    @Test("every pair and every cut agrees with the standard library")
    func agreement() {
        let starts: [[UInt8]] = [
            [], [0xE0], [0xED], [0xF0], [0xF4], [0xF1, 0x80], "12345678".bytes,
        ]
        let seconds: [UInt8] = [0, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xFF]
        for start in starts {
            for first in UInt8.min...UInt8.max {
                for second in seconds {
                    let bytes = start + [first, second]
                    let isValid = String(validating: bytes, as: UTF8.self) != nil
                    for cut in 0...bytes.count {
                        var validator = UTF8Validator()
                        let accepted =
                            validator.accepts(Array(bytes[..<cut]).span)
                            && validator.accepts(Array(bytes[cut...]).span)
                        #expect((accepted && validator.isComplete) == isValid)
                    }
                }
            }
        }
    }
}
