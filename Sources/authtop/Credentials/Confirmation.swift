/// Asks a person before something that cannot be taken back.
struct Confirmation {
    /// Such as `forget it all?`.
    let question: String
    /// What a script gives in place of an answer.
    let option: String

    /// Returns when it is wanted.
    ///
    /// - Parameter isGiven: Whether the option was.
    /// - Throws: `CommandFailure` where it is not, or nobody can be asked.
    func obtain(isGiven: Bool) throws {
        if isGiven { return }
        guard StandardInput.isTerminal, let prompt = TerminalPrompt() else {
            throw CommandFailure(
                .badInput,
                "nobody can be asked here whether it is meant: give \(option) besides"
            )
        }
        guard prompt.ask("\(question) Type yes: ", isSecret: false) == "yes" else {
            throw CommandFailure(.notSo, "not confirmed, so nothing was done")
        }
    }
}
