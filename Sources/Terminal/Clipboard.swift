import FoundationEssentials

/// The sequence with which a terminal takes a text for its clipboard.
enum Clipboard {
    /// Returns OSC 52 with the text in base64; within tmux, also wrapped for the terminal around
    /// it, which gets it if `allow-passthrough` is on.
    static func sequence(for text: String, inTmux: Bool) -> String {
        let sequence = "\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{07}"
        guard inTmux else { return sequence }
        let wrapped = sequence.replacing("\u{1B}", with: "\u{1B}\u{1B}")
        return sequence + "\u{1B}Ptmux;\(wrapped)\u{1B}\\"
    }
}
