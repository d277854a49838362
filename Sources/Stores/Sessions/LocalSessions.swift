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
        problems = scan.files.filter { $0.problem != nil }
        crowdedPlaces = scan.crowdedFolders + scan.files.filter(\.isCut).map(\.path)
        dropped = 0
        var seen: Set<StoredSession.ID> = []
        for file in scan.files {
            for session in file.sessions where seen.insert(session.id).inserted {
                guard entries[session.id] != nil || entries.count < Self.entryLimit else {
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
        guard var entry = entries[session.id] else {
            let began = StoreChange(at: facts?.modified ?? now, kind: .found, writer: nil)
            let created = StoreChange(at: now, kind: .appeared, writer: writer)
            entries[session.id] = Entry(
                session,
                facts: facts,
                history: [isFirst ? began : created]
            )
            return
        }
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
        entries[session.id] = entry
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
            if let after { age = self.age(of: after, replacing: before, isRace: isRace, at: now) }
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
        if replaced[token.fingerprint] != nil { return .older }
        if let issued = token.claims?.issuedAt, let before = other?.claims?.issuedAt {
            return issued < before ? .older : .newer
        }
        guard isRace, let other, !token.isInferred, !other.isInferred, let end = token.end,
            let before = other.end, before > now
        else { return .newer }
        return before.timeIntervalSince(end) > 1 ? .likelyOlder : .newer
    }

    /// All sessions, those first that end first.
    package func ordered(at now: Date) -> [Entry] { Self.ordered(entries.values, at: now) }

    /// Returns these sessions, those first that end first.
    package static func ordered(_ entries: some Sequence<Entry>, at now: Date) -> [Entry] {
        // What they are compared by is made once for each.
        entries.map { (rank: $0.session.rank(at: now), text: $0.session.sortText, entry: $0) }
            .sorted { ($0.rank, $0.text) < ($1.rank, $1.text) }
            .map(\.entry)
    }
}

extension StoredSession {
    /// What ends soon comes first, then what has ended, then what does not.
    fileprivate func rank(at now: Date) -> Double {
        switch state(at: now) {
        case .ending: end?.timeIntervalSince(now) ?? 0
        case .live: 1e10 + (end?.timeIntervalSince(now) ?? 1e9)
        case .renewable: 2e10
        case .ended: 3e10
        case .endless: 4e10
        case .keyring: 5e10
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
        case likelyOlder
        /// It was there before, or was issued before the other one.
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
