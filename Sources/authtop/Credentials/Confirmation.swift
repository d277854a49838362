/// Asks the user to confirm something that cannot be undone.
struct Confirmation {
    /// The question, such as `forget it all?`.
    let question: String
    /// The option that a script uses in place of an answer.
    let option: String

    /// Returns if the user confirms.
    ///
    /// - Parameter isGiven: Whether the option was given.
    /// - Throws: `CommandFailure` if the user does not confirm, or cannot be asked.
    func obtain(isGiven: Bool) throws {
        if isGiven { return }
        guard StandardInput.isTerminal, let prompt = TerminalPrompt() else {
            throw CommandFailure(
                .badInput,
                "there is no terminal to confirm this on: add \(option)"
            )
        }
        guard prompt.ask("\(question) Type yes: ", isSecret: false) == "yes" else {
            throw CommandFailure(.notSo, "not confirmed, so nothing was done")
        }
    }
}
