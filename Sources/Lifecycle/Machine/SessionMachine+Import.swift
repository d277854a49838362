import Dialects
import Timekeeping

extension SessionMachine {
    /// Begins a session with a pair that a person brought: stored first, like a login's.
    mutating func takeUp(_ issued: IssuedTokens) {
        login = LoginAttempt(base: epoch, previous: state, origin: .imported)
        epoch += 1
        move(to: .signingIn, why: "import")
        let pair = firstPair(issued, sentAt: clock)
        var record = currentRecord(journal: nil)
        record.family = pair.family
        record.pair = pair.stored(offset: offset)
        commit(record, as: .firstPair(pair), condition: .always)
    }
}
