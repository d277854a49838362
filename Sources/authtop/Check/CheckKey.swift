import UI

/// A command of the check's screen: its keys, its words, and what it does.
///
/// The last row and the manual page are made from these values.
struct CheckKey: Sendable {
    /// What the display does after a key.
    enum Outcome {
        case stay
        /// The user leaves the screen.
        case leave
        case suspend
    }

    let keys: [Key]
    /// The words in the last row, or `nil` if it does not show the command now.
    var hint: @Sendable (CheckScreen) -> String? = { _ in nil }
    let help: String
    /// Whether the last row shows its key beside that of the previous command, with the same words.
    var joinsPrevious = false
    let press: @Sendable (inout CheckScreen) -> Outcome

    /// The name of the first key in the last row.
    var symbol: String {
        switch keys[0] {
        case .up: "↑"
        case .down: "↓"
        default: KeyText.name(keys[0])
        }
    }
}
