package import Basics
package import FoundationEssentials

/// The sessions of this machine, as they change while they are watched.
package struct LocalSessions: Sendable {
    /// A session with what has become of it since the start.
    package struct Entry: Sendable, Hashable {
        package var session: StoredSession
        package var facts: FileFacts?
        package var history: [StoreChange]
        /// The older changes that are no longer in the history.
        package var forgotten = 0

        package init(_ session: StoredSession, facts: FileFacts? = nil, history: [StoreChange] = [])
        {
            self.session = session
            self.facts = facts
            self.history = history
        }
    }

    static let historyLimit = 100
    /// Two programs that renew at once write within this time, in seconds.
    private static let raceLimit = 60.0
    /// The most sessions that are kept; further ones are counted.
    package static let entryLimit = 5_000

    package private(set) var entries: [StoredSession.ID: Entry] = [:]
    package private(set) var problems: [StoreScan.File] = []
    /// The folders and files with too many entries, of which not all were looked at.
    package private(set) var crowdedPlaces: [String] = []
    /// The sessions beyond the limit.
    package private(set) var dropped = 0
    /// The tokens that were in a file once, and when they were replaced there.
    private var replaced: [Fingerprint: Date] = [:]
    private var isFirst = true

    package init() {}

    /// Takes in what has been found, with the writer of the files if that is known.
    package mutating func take(_ scan: StoreScan, writers: [String: String] = [:]) {
        problems = scan.files.filter { file in
            // Programs leave empty files, such as those that they lock.
            file.problem == .empty
                ? entries.keys.contains { $0.file == file.path } : file.problem != nil
        }
        crowdedPlaces = scan.crowdedFolders + scan.files.filter(\.isCut).map(\.path)
        dropped = 0
        var seen: Set<StoredSession.ID> = []
        let count = scan.files.reduce(0) { $0 + $1.sessions.count }
        seen.reserveCapacity(count)
        entries.reserveCapacity(min(count, Self.entryLimit))
        for file in scan.files {
            for session in file.sessions where seen.insert(session.id).inserted {
                guard entries.count < Self.entryLimit || entries.index(forKey: session.id) != nil
                else {
                    dropped += 1
                    continue
                }
                take(session, file.facts, at: scan.date, by: writers[file.path])
            }
        }
        let unreadable = Set(problems.map(\.path))
        for id in Array(entries.keys)
        where !seen.contains(id) && !unreadable.contains(id.file) {
            entries[id] = nil
        }
        isFirst = false
    }

    private mutating func take(
        _ session: StoredSession,
        _ facts: FileFacts?,
        at now: Date,
        by writer: String?
    ) {
        guard let place = entries.index(forKey: session.id) else {
            let began = StoreChange(at: facts?.modified ?? now, kind: .found, writer: nil)
            let created = StoreChange(at: now, kind: .appeared, writer: writer)
            entries[session.id] = Entry(
                session,
                facts: facts,
                history: [isFirst ? began : created]
            )
            return
        }
        // Most of what is looked at again is as it was.
        guard entries.values[place].session != session else {
            entries.values[place].facts = facts
            return
        }
        var entry = entries.values[place]
        let old = entry.session
        let isRace = entry.history.contains {
            $0.isToken && now.timeIntervalSince($0.at) < Self.raceLimit
        }
        for kind in changes(from: old, to: session, isRace: isRace, at: now) {
            entry.history.append(StoreChange(at: now, kind: kind, writer: writer))
        }
        if entry.history.count > Self.historyLimit {
            let surplus = entry.history.count - Self.historyLimit
            // The first one says when it was found.
            entry.history.removeSubrange(1...surplus)
            entry.forgotten += surplus
        }
        for token in [old.main, old.refresh].compactMap(\.self) {
            let kept = [session.main, session.refresh].compactMap(\.self)
            guard !kept.contains(where: { $0.fingerprint == token.fingerprint }) else { continue }
            if replaced.count >= Self.entryLimit { replaced.removeAll() }
            replaced[token.fingerprint] = now
        }
        entry.session = session
        entry.facts = facts
        entries.values[place] = entry
    }

    private func changes(
        from old: StoredSession,
        to new: StoredSession,
        isRace: Bool,
        at now: Date
    ) -> [StoreChange.Kind] {
        var kinds: [StoreChange.Kind] = []
        if old.account != new.account { kinds.append(.account(from: old.account, to: new.account)) }
        for (role, before, after) in [
            (new.access ?? old.access == nil ? StoreChange.Role.id : .access, old.main, new.main),
            (.refresh, old.refresh, new.refresh),
        ] where before?.fingerprint != after?.fingerprint {
            var age = StoreChange.Age.newer
            // Nothing is older or newer beside a token of another user.
            if let after, old.account == new.account {
                age = self.age(of: after, replacing: before, isRace: isRace, at: now)
            }
            kinds.append(
                .token(role, from: before?.fingerprint, to: after?.fingerprint, age: age)
            )
        }
        return kinds
    }

    /// Returns what is known of the age of a token beside that of another one, in whose place it is.
    private func age(
        of token: StoredToken,
        replacing other: StoredToken?,
        isRace: Bool,
        at now: Date
    ) -> StoreChange.Age {
        if let claims = token.claims, let others = other?.claims,
            let issued = claims.issuedAt, let before = others.issuedAt
        {
            guard claims.isAlike(others) else { return .newer }
            return issued < before ? .older : .newer
        }
        if replaced[token.fingerprint] != nil { return .returned }
        guard isRace, let other, !token.isInferred, !other.isInferred, let end = token.end,
            let before = other.end, before > now
        else { return .newer }
        return before.timeIntervalSince(end) > 1 ? .endsFirst : .newer
    }

    /// Returns these sessions, those first that end first, as long as none comes into another state.
    package static func ordered(
        _ entries: some Sequence<Entry>,
        within horizon: inout Horizon
    ) -> [Entry] {
        let entries = Array(entries)
        // What they are compared by is made once for each.
        let keys = entries.map { entry in
            let rank = entry.session.rank(within: &horizon)
            return (rank.state, rank.end, entry.session.sortText)
        }
        return entries.indices.sorted { keys[$0] < keys[$1] }.map { entries[$0] }
    }
}

extension StoredSession {
    /// What ends soon comes first, then what has ended, then what does not.
    fileprivate func rank(within horizon: inout Horizon) -> (state: Int, end: Double) {
        let end = end?.timeIntervalSince1970 ?? .infinity
        return switch state(within: &horizon) {
        case .ending: (0, end)
        case .live: (1, end)
        case .renewable: (2, 0)
        case .ended: (3, 0)
        case .endless: (4, 0)
        case .keyring: (5, 0)
        }
    }

    fileprivate var sortText: String { "\(title)\u{0}\(account ?? "")\u{0}\(id.file)\(id.place)" }
}

/// A change of a stored session.
package struct StoreChange: Sendable, Hashable {
    package enum Role: String, Sendable, Hashable {
        case access, refresh
        /// Of a session without an access token, which it stands for.
        case id
    }

    /// The age of a token beside that of the one that it replaces.
    package enum Age: String, Sendable, Hashable {
        /// Nothing says otherwise.
        case newer
        /// The other one was written just before, and ends later.
        case endsFirst
        /// It was there before.
        case returned
        /// It was issued before the other one.
        case older
    }

    package enum Kind: Sendable, Hashable {
        /// It was there at the start; the time is that of the file.
        case found
        case appeared
        case token(Role, from: Fingerprint?, to: Fingerprint?, age: Age)
        case account(from: String?, to: String?)
    }

    package let at: Date
    package let kind: Kind
    /// The process that wrote, if the system has shown it.
    package let writer: String?

    var isToken: Bool {
        if case .token = kind { true } else { false }
    }
}
