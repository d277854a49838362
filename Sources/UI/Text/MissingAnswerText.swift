/// The names of an answer that is missing.
enum MissingAnswerText {
    /// No answer has arrived.
    static let lost = "answer lost"
    /// An answer has arrived, and cannot be used.
    static let unusable = "answer not usable"
    /// Either of the two.
    static let either = "answer lost or not usable"
    /// For a place with little room.
    static let short = "not usable"
}
