import Basics
import Model

extension Notice {
    /// Creates the notice about an event, unless it is shown elsewhere.
    init?(_ event: SessionEvent, keys: KeyMap) {
        guard event.kind.isNotice else { return nil }
        let worded = event.kind as? any WordedEvent
        self.init(
            worded?.noticeText(keys) ?? HistoryText(timelessWith: keys).text(event.kind),
            isWarning: event.kind.tone == .warning,
            until: event.moment.now.advanced(bySeconds: Self.life)
        )
    }
}
