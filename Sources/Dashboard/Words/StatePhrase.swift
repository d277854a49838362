import Dialects
import Lifecycle

/// What a person is told of where the session stands.
package struct StatePhrase: Sendable, Equatable {
    /// No two states have the same.
    package var symbol: String
    package var style: Style
    /// The parts of the sentence, the most important first.
    package var parts: [String]

    /// The whole sentence, and shorter ways to say it.
    package var ways: [Line] {
        (0..<max(1, parts.count)).map { dropped in
            let words = parts.dropLast(dropped).joined(separator: " · ")
            return Line(" \(symbol) \(words) ", style)
        }
    }

    package init(_ symbol: String, _ style: Style, _ parts: [String?]) {
        self.symbol = symbol
        self.style = style
        self.parts = parts.compactMap(\.self)
    }

    package init(of scene: Scene) {
        let words = StateWords(scene: scene)
        switch scene.session.state {
        case .cold:
            self.init("⋯", .headerBusy, ["reading the vault"])
        case .vaultUnavailable(let problem):
            self.init("⚠", .headerBad, words.vault(problem))
        case .signedOut(let reason):
            self.init("○", reason.isWanted ? .header : .headerBad, words.signedOut(reason))
        case .signingIn:
            self.init("◌", .headerBusy, ["logging in"])
        case .fresh:
            let isPaused = scene.session.flags.isPaused
            self.init("●", isPaused ? .headerWarning : .headerGood, words.fresh)
        case .renewing:
            self.init("◐", .headerBusy, words.renewing)
        case .retrying(let outlook):
            self.init("◑", .headerWarning, words.retrying(outlook))
        case .blocked:
            self.init("◔", .headerWarning, ["waiting for renewal", "callers wait", words.paused])
        case .offline(let outlook):
            self.init("◇", .headerBad, words.offline(outlook))
        case .unknown(let outlook):
            self.init("◒", .headerWarning, words.unknown(outlook))
        case .draining(let reason):
            self.init("▼", .headerBad, words.draining(reason))
        case .signingOut(let scope):
            let words = scope == .everywhere ? "signing out everywhere" : "signing out"
            self.init("◎", .headerBusy, [words, "the tokens are erased here"])
        }
    }
}

extension SignedOutReason {
    /// Nobody is surprised.
    var isWanted: Bool {
        switch self {
        case .never, .user, .everywhere: true
        case .refreshExpired, .accessExpired, .revoked, .lostRotation, .consumeWithoutReturn,
            .deletedExternally, .replaced, .gaveUp:
            false
        }
    }
}
