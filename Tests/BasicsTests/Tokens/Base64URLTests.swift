import Basics
import Testing

@Suite("Base64URL")
struct Base64URLTests {
    @Test(
        "it follows RFC 4648 without padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
        ]
    )
    func vectors(plain: String, encoded: String) {
        #expect(Base64URL.encode(plain.utf8) == encoded)
        #expect(Base64URL.decode(encoded) == Array(plain.utf8))
    }

    @Test("its alphabet is the one for URLs")
    func alphabet() {
        #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
        #expect(Base64URL.decode("-_8") == [0xFB, 0xFF])
    }

    @Test("every byte survives")
    func roundTrip() {
        let bytes = Array(UInt8.min...UInt8.max)
        #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
    }

    @Test(
        "what is not in it is not decoded",
        arguments: ["A", "AAAAA", "+_8", "-/8", "Zg==", "Z g", "Zg\n", "Zü", "Z\u{0}g8"]
    )
    func garbage(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
