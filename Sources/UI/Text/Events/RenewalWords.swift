import Basics
import Model
import Profiles

extension RefreshStarted: WordedEvent {
    func text(_ history: HistoryText) -> String {
        "renewal \(flight) began: \(CauseText().text(cause))"
    }
}

extension RefreshSucceeded: WordedEvent {
    func text(_ history: HistoryText) -> String {
        "renewal \(flight) took \(DurationFormatter.fine(roundTrip.inSeconds)), "
            + "\(lead("the old access token's end")), refresh token "
            + (rotated ? "rotated" : "unchanged")
    }
}

extension RefreshFailed: WordedEvent {
    func text(_ history: HistoryText) -> String {
        let times = attempt > 1 ? " ×\(attempt)" : ""
        let next = nextAt.map { ", again at \(history.when($0))" } ?? ""
        return "renewal \(flight) failed\(times)\(next): \(FailureText.full(failure))"
    }
}

extension RenewalPlanned: WordedEvent {
    func text(_ history: HistoryText) -> String {
        let text = history.causes.text(plan)
        guard let instant = plan.renewsAt else { return "renewal: \(text)" }
        return "renewal planned for \(history.when(instant)): \(text)"
    }
}

extension NoProgress: WordedEvent {
    func text(_ history: HistoryText) -> String { "renewed, but the expiry is not later" }
}

extension GraceRecovered: WordedEvent {
    func text(_ history: HistoryText) -> String {
        switch after {
        case .lost: "the lost answer did no harm: the same token was accepted"
        case .unusable: "the unusable answer did no harm: the same token was accepted"
        case .discarded: "the answer thrown away did no harm: the same token was accepted"
        case .unrecorded: "the restart did no harm: the same token was accepted"
        case nil: "the same token was accepted, after an answer that was lost or unusable"
        }
    }
}

extension CircuitBreakerOpened: WordedEvent {
    func text(_ history: HistoryText) -> String {
        "the server rejects fresh tokens: no renewal before \(history.when(until))"
    }
}

extension RenewalPaused: WordedEvent {
    func text(_ history: HistoryText) -> String {
        let what = extent == .all ? "renewal paused altogether" : "renewal by timer paused"
        switch by {
        case .user: return "\(what) by you"
        case .background: return "\(what): terminal in the background"
        }
    }
}

extension RenewalResumed: WordedEvent {
    func text(_ history: HistoryText) -> String {
        switch by {
        case .user: "renewal goes on: resumed by you"
        case .background: "renewal goes on: terminal in the foreground"
        }
    }
}

// MARK: - The vault

extension PairAdopted: WordedEvent {
    func text(_ history: HistoryText) -> String {
        "another process has newer tokens, and they were taken over"
    }
}

extension JournalRecovered: WordedEvent {
    func text(_ history: HistoryText) -> String {
        "the refresh token may have been sent before the restart, and no answer is on record: "
            + "it is sent again"
    }
}

extension PairUnsaved: WordedEvent {
    func text(_ history: HistoryText) -> String {
        "not saved to disk: \(CauseText().text(problem))"
    }
}

extension PairSaved: WordedEvent {
    func text(_ history: HistoryText) -> String { "saved to disk again" }
}
