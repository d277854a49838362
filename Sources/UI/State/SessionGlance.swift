import Basics
import Model

/// What the table of sessions sorts, counts and searches a session by, as of the last look at it.
///
/// A whole look at each of ten thousand sessions, for each frame, would take longer than the frame is
/// shown.
struct SessionGlance: Sendable, Equatable {
    /// The kinds of states that the table counts, in the order of the counts.
    enum Phase: Int, Sendable, CaseIterable {
        case signedIn
        case renewing
        case loggingIn
        case withoutToken
        case ended

        init(_ state: SessionState) {
            switch state {
            case .fresh, .draining: self = .signedIn
            case .renewing, .retrying, .blocked, .unknown: self = .renewing
            case .cold, .signingIn: self = .loggingIn
            case .expired, .vaultUnavailable: self = .withoutToken
            case .signedOut, .signingOut: self = .ended
            }
        }

        /// The words after a number.
        var title: String {
            switch self {
            case .signedIn: "signed in"
            case .renewing: "renewing"
            case .loggingIn: "logging in"
            case .withoutToken: "without a token"
            case .ended: "ended"
            }
        }
    }

    let urgency: SessionStrip.Urgency
    let phase: Phase
    /// The state in a word or two.
    let word: String
    /// When the pair is renewed, or `nil` if that is not planned.
    let renewsAt: Instant?

    /// The glance at a session that has sent no event.
    static let before = SessionGlance(
        urgency: .none,
        phase: .loggingIn,
        word: SessionState.cold.word,
        renewsAt: nil
    )

    init(of viewModel: ViewModel) {
        urgency = SessionStrip.Urgency(viewModel)
        let state = viewModel.session.state
        phase = Phase(state)
        word = viewModel.isObserved ? ObservedSummary(of: viewModel).word : state.word
        renewsAt = viewModel.session.renewalPlan?.renewsAt
    }

    private init(
        urgency: SessionStrip.Urgency,
        phase: Phase,
        word: String,
        renewsAt: Instant?
    ) {
        self.urgency = urgency
        self.phase = phase
        self.word = word
        self.renewsAt = renewsAt
    }
}
