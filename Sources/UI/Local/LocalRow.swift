import FoundationEssentials
package import Stores

/// A row of the table: a session, a profile without one, or a file that cannot be read.
package struct LocalRow: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// `isOwn`: it is authtop's own, which can be renewed and ended here.
        case stored(LocalSessions.Entry, isOwn: Bool)
        /// `problem`: why it cannot be watched.
        case profile(name: String, place: String, problem: String? = nil)
        case problem(StoreScan.File)
    }

    package let kind: Kind

    package init(_ kind: Kind) {
        self.kind = kind
    }

    /// The session, or `nil` if it is none.
    package var entry: LocalSessions.Entry? {
        if case .stored(let entry, _) = kind { entry } else { nil }
    }

    var title: String {
        switch kind {
        case .stored(let entry, _): entry.session.title
        case .profile(let name, _, _): name
        case .problem(let file): file.title
        }
    }

    /// The identity of the row, which stays the same while the row changes.
    enum ID: Sendable, Hashable {
        case stored(StoredSession.ID)
        case profile(name: String, place: String)
        case problem(path: String)
    }

    var id: ID {
        switch kind {
        case .stored(let entry, _): .stored(entry.session.id)
        case .profile(let name, let place, _): .profile(name: name, place: place)
        case .problem(let file): .problem(path: file.path)
        }
    }

    /// The profile of authtop's own session, or of none yet.
    package var profile: String? {
        switch kind {
        case .stored(let entry, true): entry.session.title
        case .profile(let name, _, nil): name
        case .stored, .profile, .problem: nil
        }
    }

    /// The base URL of authtop's own session.
    package var baseURL: String? {
        if case .stored(let entry, true) = kind { entry.session.issuer } else { nil }
    }

    func symbol(at now: Date) -> Line {
        switch kind {
        case .stored(let entry, _):
            let state = entry.session.state(at: now)
            return Line(StoreText.symbol(state).rawValue, StoreText.style(state))
        case .profile: return Line(StateSymbol.cold.rawValue, .dim)
        case .problem: return Line(StateSymbol.vault.rawValue, .warning)
        }
    }
    /// The words of its state.
    func stateWord(at now: Date) -> String {
        switch kind {
        case .stored(let entry, _): StoreText.word(entry.session.state(at: now))
        case .profile(_, _, let problem): problem == nil ? "no session" : "not usable"
        case .problem: "not read"
        }
    }

    var account: String? {
        if case .stored(let entry, _) = kind { entry.session.account } else { nil }
    }

    /// The file, or the server of authtop's own session.
    func place(_ text: StoreText) -> String {
        switch kind {
        case .stored(let entry, let isOwn):
            isOwn ? entry.session.issuer ?? "" : text.path(entry.session.id.file)
        case .profile(_, let place, _): place
        case .problem(let file): text.path(file.path)
        }
    }

    /// Whether its place is the path of a file.
    var isFile: Bool {
        switch kind {
        case .stored(_, let isOwn): !isOwn
        case .problem: true
        case .profile: false
        }
    }

    var tokens: [StoredToken] {
        guard case .stored(let entry, _) = kind else { return [] }
        let session = entry.session
        return [session.access, session.refresh, session.idToken].compactMap(\.self)
    }

    /// The seconds until the session ends, none if it has, or `nil` if nothing says so.
    func timeLeft(at now: Date) -> Double? {
        guard case .stored(let entry, _) = kind else { return nil }
        return entry.session.end.map { max(0, $0.timeIntervalSince(now)) }
    }
}
