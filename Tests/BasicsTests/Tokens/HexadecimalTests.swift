import Basics
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test("are two for each byte, in small letters")
    func bytes() {
        #expect([0x00, 0x0F, 0xA0, 0xFF].hexadecimal == "000fa0ff")
        #expect(([] as [UInt8]).hexadecimal.isEmpty)
    }

    @Test("of a number are as many as its type can have")
    func numbers() {
        #expect(UInt8(7).hexadecimal == "07")
        #expect(UInt16(0xE9).hexadecimal == "00e9")
        #expect(UInt64.max.hexadecimal == "ffffffffffffffff")
        #expect(UInt64(1).hexadecimal == "0000000000000001")
    }

    @Test("are read in either case, and nothing else is")
    func values() {
        let digits = (0...255).filter { UInt8($0).hexDigitValue != nil }
        #expect(digits == Array("0123456789ABCDEFabcdef".utf8).map(Int.init))
        #expect("09afAF".utf8.map(\.hexDigitValue) == [0, 9, 10, 15, 10, 15])
    }
}
