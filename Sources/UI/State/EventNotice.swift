import Basics
import Model

/// The events that are shown as a notice, because no pane shows them for long.
enum EventNotice {
    static func notice(_ event: SessionEvent) -> Notice? {
        guard let (message, isWarning) = message(event.kind) else { return nil }
        let until = event.moment.now.advanced(bySeconds: Notice.life)
        return Notice(message, isWarning: isWarning, until: until)
    }

    private static func text(_ interruption: Interruption) -> String {
        let duration = DurationFormatter.long(interruption.duration.inSeconds)
        return switch interruption.cause {
        case .suspended: "the machine slept for \(duration)"
        case .stopped: "stopped for at least \(duration), while the machine was awake"
        case .unknown: "asleep or stopped for at least \(duration)"
        }
    }

    private static func recovered(after missing: MissingAnswer?) -> String {
        switch missing {
        case .lost: "the lost answer did no harm: the same token was accepted"
        case .unusable: "the unusable answer did no harm: the same token was accepted"
        case .discarded: "the answer thrown away did no harm: the same token was accepted"
        case .unrecorded: "the restart did no harm: the same token was accepted"
        case nil: "the same token was accepted, after an answer that was lost or unusable"
        }
    }

    /// Returns the message for an event, and whether it is a warning.
    static func message(_ kind: SessionEvent.Kind) -> (String, isWarning: Bool)? {
        switch kind {
        case .actionRejected(let rejection): (CauseText().text(rejection), true)
        case .wake(let interruption): (text(interruption), false)
        case .wallStep(let seconds):
            ("the wall clock was set by \(DurationFormatter.signed(seconds))", true)
        case .graceRecovered(let missing): (recovered(after: missing), false)
        case .experimentEnded(let result):
            ("experiment: \(ExperimentText.sentence(result))", false)
        case .clockShifted(let seconds): (ClockShiftText.sentence(seconds), seconds != 0)
        case .observed(.forgotten(let session)) where !session.hasEnded:
            (
                "more than \(session.limit) sessions: those that were used the longest ago are forgotten",
                true
            )
        case .observed(.omitted(let omission)): (OmissionText.sentence(omission), true)
        case .observed(.misdirected(let request)): (OmissionText.sentence(request), true)
        case .adopted: ("another process has newer tokens, and they were taken over", false)
        case .journalRecovered:
            (
                "the refresh token may have been sent before the restart, and no answer is on "
                    + "record: it is sent again", false
            )
        case .revocation(.done): ("the backend confirmed the logout", false)
        case .revocation(.anonymous):
            ("the backend confirmed a logout that names no session: it may have ended none", false)
        case .revocation(.notOffered):
            ("signed out here: this backend has no logout endpoint", false)
        case .revocation(.notKnown):
            ("the backend was notified of the logout; it no longer knows the token", false)
        case .revocation(.noRefreshToken):
            ("the backend cannot be notified of the logout: that needs the refresh token", true)
        case .revocation(.noAccessToken):
            ("the backend cannot be notified of the logout: that needs a live access token", true)
        case .revocation(.noCapturedValue):
            ("the backend cannot be notified of the logout: a captured value is missing", true)
        default: nil
        }
    }
}
