import Basics
import Model
import Profiles

extension Exchange: WordedEvent {
    func text(_ history: HistoryText) -> String {
        let end =
            switch result {
            case .answered(let status):
                "answered \(status)\(RefusalText.answer(self) ?? "")"
            case .notSent(let cause): "not sent: \(CauseText().text(cause))"
            case .unanswered(let detail): "no complete answer: \(detail)"
            case .awaited: "sent"
            }
        return "request #\(id) \(method) \(target) \(end)"
    }
}

extension SessionListUpdate: WordedEvent {
    func text(_ history: HistoryText) -> String {
        switch self {
        case .listed(let sessions): CountFormatter.count(sessions.count, "active session")
        case .ended: "another session was ended by you"
        case .failed(let failure): CauseText().text(failure)
        }
    }
}

extension IntrospectionResult: WordedEvent {
    func text(_ history: HistoryText) -> String {
        let name = IntrospectionText.name(question).lowercased()
        return "\(name): \(IntrospectionText.text(self))"
    }
}

// MARK: - Experiments

extension ExperimentStarted: WordedEvent {
    func text(_ history: HistoryText) -> String {
        "experiment began: \(experiment.words)"
    }
}

extension ExperimentResult: WordedEvent {
    func text(_ history: HistoryText) -> String {
        "experiment: \(experiment.words): \(CauseText().text(self))"
    }

    func noticeText(_ keys: KeyMap) -> String {
        "experiment: \(CauseText().text(self))"
    }
}

extension ClockShifted: WordedEvent {
    func text(_ history: HistoryText) -> String { ClockShiftText.sentence(seconds) }
}

extension FaultsChange: WordedEvent {
    func text(_ history: HistoryText) -> String {
        let who =
            switch by {
            case .user: "by you"
            case .sandbox: "seen at the sandbox"
            }
        guard !active.isEmpty else { return "all faults of the sandbox are off, \(who)" }
        let list = active.joined(separator: ", ")
        return "\(active.count == 1 ? "fault" : "faults") on, \(who): \(list)"
    }
}

// MARK: - The feed

extension FeedClosed: WordedEvent {
    func text(_ history: HistoryText) -> String { "feed: \(FeedRow.text(.closed(self)))" }
}

extension FeedRefused: WordedEvent {
    func text(_ history: HistoryText) -> String { "feed: \(FeedRow.text(.refused(self)))" }
}

extension FeedFailed: WordedEvent {
    func text(_ history: HistoryText) -> String { "feed: \(FeedRow.text(.failed(self)))" }
}

extension FeedMessagesMissing: WordedEvent {
    func text(_ history: HistoryText) -> String {
        "socket \(socket): \(FeedRow.missing(after: after, before: before))"
    }
}

extension FeedAliveAfterLogout: WordedEvent {
    func text(_ history: HistoryText) -> String { "socket \(socket) still receives after logout" }
}

// MARK: - An app's session

extension ObservedFinding: WordedEvent {
    func text(_ history: HistoryText) -> String { "\(rule): \(message)" }
}

extension ForgottenSession: WordedEvent {
    func text(_ history: HistoryText) -> String {
        "more than \(limit) sessions: those that were used the longest ago are forgotten"
    }
}

extension Omission: WordedEvent {
    func text(_ history: HistoryText) -> String { OmissionText.sentence(self) }
}

extension MisdirectedRequest: WordedEvent {
    func text(_ history: HistoryText) -> String { OmissionText.sentence(self) }
}
