import Basics
import Testing

@Suite("Content digest")
struct ContentDigestTests {
    @Test("it is SHA-256 in hex")
    func vector() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        #expect(contentDigest(of: "") == empty)
        #expect(contentDigest(of: "a") != contentDigest(of: "b"))
        #expect(contentDigest(of: "ü").count == 64)
    }
}
