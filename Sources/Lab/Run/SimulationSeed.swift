/// The seed of a run: a number, or the hash of a commit, so that each commit has its own seed that
/// can be repeated.
struct SimulationSeed: Sendable, Equatable {
    let value: UInt64
    /// The hexadecimal text that it was read from, or `nil` if it was a number.
    let hash: String?

    init(value: UInt64, hash: String? = nil) {
        self.value = value
        self.hash = hash
    }

    /// A decimal number of 64 bits, or a hash of 7 to 64 hexadecimal digits, of which the first 16
    /// count; what can be read as both is a number.
    init?(_ text: String) {
        if let number = UInt64(text), text.allSatisfy(\.isNumber) {
            self.init(value: number)
            return
        }
        let digits = text.lowercased()
        guard (7...64).contains(digits.count),
            digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
            let value = UInt64(digits.prefix(16), radix: 16)
        else { return nil }
        self.init(value: value, hash: digits)
    }

    /// The first line of a run, printed at its beginning, so that a run that never ends can be
    /// repeated too.
    var opening: String {
        guard let hash else { return "seed \(value)" }
        let size = min(hash.count, 16)
        return "seed \(value) (the first \(size) digits of \(hash))"
    }
}
