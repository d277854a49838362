import Basics
import FoundationEssentials
import Model

/// An event, in a sentence.
struct HistoryText: Sendable {
    /// Names an instant.
    let when: @Sendable (Instant) -> String
    /// The messages of causes, with the user's own keys.
    let causes: CauseText
    private let now: Moment

    init(clock: ViewClock, keys: KeyMap) {
        now = clock.exact
        when = { clock.when($0) }
        causes = CauseText(keys: keys)
    }

    /// Creates one without times, for what is searched.
    init(timelessWith keys: KeyMap) {
        now = Moment(now: .origin, wall: Date(timeIntervalSince1970: 0))
        when = { _ in "" }
        causes = CauseText(keys: keys)
    }

    func text(_ kind: any EventKind) -> String {
        if let kind = kind as? any WordedEvent { return kind.text(self) }
        // A kind without words of its own is shown by its fields.
        let fields = EventLine.fields(of: kind, at: now, causes: causes).map { field in
            "\(field.name) \(field.value.displayText ?? field.value.serialized)"
        }
        return ([kind.name] + fields).joined(separator: " · ")
    }

    static func style(_ kind: any EventKind) -> Style {
        switch kind.tone {
        case .dim: .dim
        case .plain: .plain
        case .good: .good
        case .warning: .warning
        case .bad: .bad
        }
    }

    /// For the eye, beside the style.
    static func symbol(_ kind: any EventKind) -> String {
        if let symbol = (kind as? any WordedEvent)?.symbol { return symbol }
        return switch kind.tone {
        case .bad: "✗"
        case .warning: "⚠"
        case .dim, .plain, .good: " "
        }
    }
}

/// A kind of event with words of its own.
protocol WordedEvent: EventKind {
    /// The mark before the sentence, or `nil` for that of the event's tone.
    var symbol: String? { get }

    /// The event in a sentence.
    func text(_ history: HistoryText) -> String
    /// The same as a notice, where no time is named.
    func noticeText(_ keys: KeyMap) -> String
}

extension WordedEvent {
    var symbol: String? { nil }

    func noticeText(_ keys: KeyMap) -> String { text(HistoryText(timelessWith: keys)) }
}
