import Model
import Profiles

/// A summary of the session's state for the user.
struct StateSummary: Sendable, Equatable {
    /// No two states have the same.
    var symbol: String
    var style: Style
    /// The parts of the sentence, the most important first.
    var parts: [String]
    /// The server's words in it, for a row of their own where the sentence has no room for them.
    private(set) var serverWords: String?
    /// The same without the server's words, if it has any.
    private let plainParts: [String]?
    /// The same in fewer words.
    var briefParts: [String]

    /// The whole sentence, and shorter ways to say it.
    var ways: [Line] {
        [parts, plainParts].compactMap(\.self).map(way)
            + (0..<max(1, briefParts.count)).map { way(briefParts.dropLast($0)) }
    }

    private func way(_ parts: some Sequence<String>) -> Line {
        Line(" \(symbol) \(parts.joined(separator: " · ")) ", style)
    }

    private init(
        _ state: SessionState,
        _ style: Style,
        _ parts: [String?],
        plain: [String?]? = nil,
        brief: [String?]? = nil
    ) {
        symbol = StateSymbol(of: state).rawValue
        self.style = style
        self.parts = parts.compactMap(\.self)
        let plain = plain?.compactMap(\.self)
        plainParts = plain == self.parts ? nil : plain
        briefParts = (brief ?? parts).compactMap(\.self)
    }

    private init(_ observed: ObservedSummary) {
        symbol = observed.symbol.rawValue
        style = observed.style
        parts = observed.parts
        plainParts = nil
        briefParts = observed.briefParts
    }

    /// Green only if the requests and the feed are known to be well, too.
    private static func style(ofFresh viewModel: ViewModel, isRenewed: Bool) -> Style {
        let feed = FeedHealthText(viewModel)
        let isHeld = viewModel.session.flags.isPaused || viewModel.breakerOpenUntil != nil
        guard isRenewed, !isHeld, RequestHealthText(viewModel) == nil, feed?.isProblem != true
        else { return .headerWarning }
        return feed == nil ? .headerGood : .header
    }

    init(of viewModel: ViewModel) {
        guard !viewModel.isObserved else {
            self.init(ObservedSummary(of: viewModel))
            return
        }
        let text = StateText(viewModel: viewModel)
        let state = viewModel.session.state
        switch state {
        case .cold:
            self.init(state, .headerBusy, ["reading the vault"])
        case .vaultUnavailable(let problem):
            self.init(state, .headerBad, text.vault(problem))
        case .signedOut(let reason):
            self.init(
                state,
                reason.isWanted ? .header : .headerBad,
                text.signedOut(reason),
                plain: text.signedOut(reason, quotesServer: false),
                brief: text.briefSignedOut(reason)
            )
            serverWords = text.serverWords
        case .signingIn:
            self.init(state, .headerBusy, text.signingIn)
        case .fresh:
            self.init(
                state,
                Self.style(ofFresh: viewModel, isRenewed: text.renewal.isInOrder),
                text.fresh,
                brief: text.briefFresh
            )
        case .renewing:
            let style: Style = text.renewal.lock == nil ? .headerBusy : .headerWarning
            self.init(state, style, text.renewing, brief: text.briefRenewing)
        case .retrying(let outlook):
            self.init(state, .headerWarning, text.retrying(outlook))
        case .blocked:
            self.init(state, .headerWarning, text.blocked)
        case .expired(let outlook):
            let isPaused = outlook.hold == .paused && outlook.failures == 0
            self.init(
                state,
                isPaused ? .headerWarning : .headerBad,
                text.expired(outlook),
                brief: text.briefExpired(outlook)
            )
        case .unknown(let outlook):
            self.init(state, .headerWarning, text.unknown(outlook))
        case .draining(let reason):
            self.init(state, .headerBad, text.draining(reason))
        case .signingOut(let scope):
            let text = scope == .everywhere ? "logging out everywhere" : "logging out"
            self.init(state, .headerBusy, [text, "the tokens are erased here"])
        }
    }
}
