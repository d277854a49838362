import Testing

@testable import Basics

@Suite("Bytes that are wiped")
struct WipedBytesTests {
    @Test(
        "are as they were given, and zero afterwards",
        arguments: ["", "a", "hunter2-ü€-hunter2"]
    )
    func wipe(text: String) {
        let bytes = WipedBytes(text)
        #expect(bytes.withBytes { Array($0) } == Array(text.utf8))
        bytes.wipe()
        #expect(bytes.withBytes { Array($0) } == Array(repeating: 0, count: text.utf8.count))
    }
}
