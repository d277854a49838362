import Testing

@testable import Basics

@Suite("The code verifier")
struct CodeVerifierTests {
    @Test("has the challenge of the example in RFC 7636, appendix B")
    func example() {
        let bytes: [UInt8] = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212,
            37, 77, 105, 214, 191, 240, 91, 88, 5, 88, 83, 132, 141, 121,
        ]
        let verifier = CodeVerifier(random: bytes)
        #expect(verifier.secret == Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(verifier.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(verifier.isWellFormed)
    }

    @Test(
        "is not well-formed if it is too short, too long, or has other characters",
        arguments: [
            String(repeating: "a", count: 42), String(repeating: "a", count: 129),
            String(repeating: "a", count: 42) + "=", "",
        ]
    )
    func malformed(text: String) {
        #expect(!CodeVerifier(Secret(text)).isWellFormed)
    }
}
