import Basics
import Foundation
import Testing

@Suite("Fingerprint")
struct FingerprintTests {
    private let salted = Fingerprinter(salt: Array(0..<16))

    @Test("the same token has the same fingerprint, today and after an update")
    func isStable() {
        let digits = salted.fingerprint(of: Secret("a token")).digits
        #expect(salted.fingerprint(of: Secret("a token")).digits == digits)
        #expect(digits == "30e0f619")
    }

    @Test("it is eight hex digits, whatever the token", arguments: ["", "x", "ü€😀"])
    func shape(token: String) {
        let digits = salted.fingerprint(of: Secret(token)).digits
        #expect(digits.count == 8)
        #expect(digits.allSatisfy { "0123456789abcdef".contains($0) })
    }

    @Test("two tokens with the same digits are two, in a recording, too")
    func collision() throws {
        // By the birthday paradox about 30 pairs of this many agree in 32 bits.
        var seen: [String: Fingerprint] = [:]
        var pairs = 0
        for number in 0..<500_000 where pairs < 3 {
            let fingerprint = salted.fingerprint(of: Secret("token \(number)"))
            guard let other = seen.updateValue(fingerprint, forKey: fingerprint.digits) else {
                continue
            }
            pairs += 1
            #expect(fingerprint != other)
            let read = try JSONDecoder().decode(
                [Fingerprint].self,
                from: JSONEncoder().encode([fingerprint, other])
            )
            #expect(read == [fingerprint, other])
        }
        #expect(pairs == 3)
    }

    @Test("one of an older recording is read as it is")
    func older() throws {
        let read = try JSONDecoder().decode(
            Fingerprint.self,
            from: Data(#"{"digits":"5f3c91ab"}"#.utf8)
        )
        #expect(read == Fingerprint(digits: "5f3c91ab"))
    }

    @Test("another installation gives the same token another one")
    func saltMatters() {
        let other = Fingerprinter(salt: Array(1...16))
        let secret = Secret("a token")
        #expect(salted.fingerprint(of: secret) != other.fingerprint(of: secret))
    }

    @Test("access and refresh token are named by the same rule")
    func sameForAll() {
        let secret = Secret("a token")
        #expect(salted.fingerprint(of: AccessToken(secret)) == salted.fingerprint(of: secret))
        #expect(salted.fingerprint(of: RefreshToken(secret)) == salted.fingerprint(of: secret))
    }

    @Test("it is shown between guillemets")
    func isShown() {
        #expect(Fingerprint(digits: "5f3c91ab").description == "‹5f3c91ab›")
    }
}
