import Basics
import Model
import Profiles

/// The values that requests send again, which belong to the pair in use.
extension ClientMachine {
    /// Takes what the answer to a protected request says of the captured values, if it belongs to
    /// the pair in use.
    mutating func take(_ change: CaptureChange, of progress: RequestProgress) {
        // The successor of the pair in use has its own values.
        guard let held, login == nil, !isCommittingPair,
            progress.generation == held.generation, progress.token == held.tokens.access
        else { return }
        guard replaceCaptures(held.tokens.captures.applying(change)) else { return }
        saveChange()
    }

    /// Takes the values that another process has stored with the same pair.
    mutating func followCaptures(of stored: PairRecord) {
        guard let held, stored.generation == held.generation, storage.unsaved == nil,
            stored.tokens.access == held.tokens.access
        else { return }
        _ = replaceCaptures(stored.tokens.captures)
    }

    /// - Returns: Whether they are others than before.
    private mutating func replaceCaptures(_ captures: CapturedValues) -> Bool {
        guard let held, held.tokens.captures != captures else { return false }
        live?.ledger.replaceCaptures(captures)
        emit(CapturesChanged(configuration.describe(captures, naming: fingerprinter)))
        orderFeed(.valuesChanged)
        return true
    }
}

extension SessionConfiguration {
    /// Describes what the profile captures.
    func describe(
        _ captures: CapturedValues,
        naming fingerprinter: Fingerprinter
    ) -> [CaptureDescription] {
        self.captures.map { reference in
            CaptureDescription(
                reference,
                fingerprint: captures[reference.name].map(fingerprinter.fingerprint)
            )
        }
    }
}
