import FoundationEssentials

/// The sequence with which a terminal takes a text for its clipboard.
enum Clipboard {
    /// Returns OSC 52 with the text in base64; within tmux, also wrapped for the terminal around
    /// it, which gets it if `allow-passthrough` is on.
    static func sequence(for text: String, inTmux: Bool) -> String {
        let sequence = "\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{07}"
        return inTmux ? sequence + Passthrough.wrapped(sequence) : sequence
    }
}
