/// Something of ours that reads bytes from outside, and what must hold whatever they are.
protocol FuzzTarget: SendableMetatype {
    static var name: String { get }

    /// Reads the bytes, and does not return when a promise is broken.
    static func read(_ bytes: [UInt8])
}

/// Ends the run when a promise is broken; libFuzzer keeps the bytes that did it.
func require(_ isKept: Bool, _ promise: @autoclosure () -> String) {
    if !isKept { fatalError("broken promise: \(promise())") }
}

/// Requires a text to be fit for one line of a terminal.
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
