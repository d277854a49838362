extension StringProtocol {
    /// The text with small ASCII letters in place of capital ones; any other stays, so that none that
    /// is not ASCII becomes one that is.
    var asciiLowercased: String {
        let bytes = utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return String(decoding: bytes, as: UTF8.self)
    }
}
