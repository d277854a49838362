import Basics
import Model
import Profiles

extension ExpiryMismatch: WordedEvent {
    func text(_ history: HistoryText) -> String {
        let sources = readings.map { reading in
            "\(ExpiryText.short(reading.source)) \(DurationFormatter.long(reading.seconds))"
        }
        return "the \(token.rawValue) token's expiries disagree: "
            + sources.joined(separator: ", ")
    }
}

extension UserChange: WordedEvent {
    func text(_ history: HistoryText) -> String {
        "the renewal brought a token of another user: \(after), not \(before)"
            + (isUsed == false ? "; it is not used" : "")
    }
}

extension ScopesLost: WordedEvent {
    func text(_ history: HistoryText) -> String {
        "the renewal brought tokens without \(scopes.joined(separator: ", "))"
    }
}

extension SkewChanged: WordedEvent {
    func text(_ history: HistoryText) -> String {
        "the server's clock: \(ExpiryText.bounds(offset)) against ours"
    }
}

extension Interruption: WordedEvent {
    func text(_ history: HistoryText) -> String {
        let duration = DurationFormatter.long(duration.inSeconds)
        return switch cause {
        case .suspended: "the machine slept for \(duration)"
        case .stopped: "stopped for at least \(duration), while the machine was awake"
        case .unknown: "asleep or stopped for at least \(duration)"
        }
    }
}

extension WallClockStepped: WordedEvent {
    func text(_ history: HistoryText) -> String {
        "the wall clock was set by \(DurationFormatter.signed(seconds))"
    }
}

extension BackendProbed: WordedEvent {
    func text(_ history: HistoryText) -> String {
        "asked after the sleep: the backend \(reached ? "answers" : "does not answer")"
    }
}

extension ProtocolError: WordedEvent {
    func text(_ history: HistoryText) -> String {
        "not as the profile says: \(CauseText().text(failure))"
    }
}

extension ActionRejected: WordedEvent {
    func text(_ history: HistoryText) -> String { history.causes.text(rejection) }
}

extension EventsDropped: WordedEvent {
    func text(_ history: HistoryText) -> String {
        "\(CountFormatter.count(count, "event")) not shown: too many at once"
    }
}
