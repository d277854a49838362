/// A parser of external bytes, and the properties that hold for any input.
protocol FuzzTarget: SendableMetatype {
    static var name: String { get }

    /// Parses the bytes; does not return if a property is violated.
    static func read(_ bytes: [UInt8])
}

/// Ends the run if a property is violated; libFuzzer then keeps the input.
func require(_ isKept: Bool, _ promise: @autoclosure () -> String) {
    if !isKept { fatalError("broken promise: \(promise())") }
}

/// Requires a text to be suitable for one line of a terminal.
func requireOneLine(_ text: String, limit: Int) {
    require(text.count <= limit, "at most \(limit) characters: \(text.count)")
    let isFit = text.unicodeScalars.allSatisfy { scalar in
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x2028...0x202E, 0x2066...0x2069: false
        default: true
        }
    }
    require(isFit, "nothing steers the terminal: \(text.debugDescription)")
}
