/// What a feed shows of a binary message: its text where it is UTF-8, else its bytes.
enum BinaryFrame {
    /// One text for one message, so that two messages are the same only if their bytes are.
    static func text(of bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let digits = Array("0123456789abcdef".utf8)
        let hex = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return "binary, \(bytes.count) bytes: \(String(decoding: hex, as: UTF8.self))"
    }
}
