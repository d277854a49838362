import Basics
import Client
import Model
import Simulation

/// 5: a refresh is in the journal before its first byte leaves, and until it is settled.
struct JournalCheck {
    /// The token that each process last wrote into the journal.
    private var written = PerProcess<RefreshToken>()
    private(set) var checked = 0

    mutating func sends(_ token: RefreshToken, by process: Int) -> InvariantViolation.Finding? {
        checked += 1
        guard written.take(process) != token else { return nil }
        return InvariantViolation.Finding(.journal, "a refresh token leaves that is in no journal")
    }

    mutating func died(_ process: Int) {
        written[process] = nil
    }

    mutating func wrote(_ write: VaultWrite, _ ledger: SpendLedger) -> InvariantViolation.Finding? {
        if write.new.journal != nil, let token = write.new.pair?.tokens.refresh {
            written[write.process] = token
        }
        guard write.staysInFamily, write.old?.journal != nil, write.new.journal == nil,
            let token = write.old?.pair?.tokens.refresh,
            write.new.pair?.tokens.refresh == token,
            write.new.pair?.generation == write.old?.pair?.generation,
            let entry = ledger.entry(token)
        else { return nil }
        checked += 1
        guard entry.unknown > 0 || !entry.flying.isEmpty else { return nil }
        return InvariantViolation.Finding(
            .journal,
            "the journal is cleared while the fate of the refresh token is unknown"
        )
    }
}
