package import Basics
package import FoundationEssentials
package import Model

/// Something that is wrong with stored sessions, with what proves it.
package struct StoreFinding: Sendable, Hashable {
    package enum Rule: String, Sendable, Hashable, CaseIterable {
        /// One refresh token at two places.
        case sharedRefreshToken = "shared-refresh-token"
        /// An older token was written over a newer one, as when two programs renew at once.
        case olderPair = "older-pair"
        /// A token that had been replaced is there again.
        case returnedToken = "returned-token"
        /// The token has ended although the file says otherwise.
        case statedEnd = "stated-end"
        /// Other users can read the file.
        case readableFile = "readable-file"
        /// The token was issued in this machine's future.
        case clock
        /// The token says that it is valid only later.
        case notYetValid = "not-yet-valid"
        /// It ends soon, and nothing will renew it.
        case unrenewed
    }

    package let rule: Rule
    package let severity: ObservedFinding.Severity
    package let confidence: ObservedFinding.Confidence
    /// The sessions that it is about.
    package fileprivate(set) var sessions: [StoredSession.ID]
    package let tokens: [Fingerprint]
    package let measure: Measure?

    package enum Measure: Sendable, Hashable {
        /// The time of which the distance from now is told, so that it stays true while that passes.
        case time(Date)
        /// The bits of a mode.
        case mode(UInt32)
    }
}

extension LocalSessions {
    /// A clock is not called wrong for less, in seconds.
    private static let clockTolerance = 60.0

    /// Returns what is wrong at a moment, the worst first.
    package func findings(at now: Date) -> [StoreFinding] {
        var horizon = Horizon(now)
        return findings(within: &horizon)
    }

    /// Returns what is wrong as long as time changes none of it, the worst first.
    package func findings(within horizon: inout Horizon) -> [StoreFinding] {
        var found = shared(entries.values, within: &horizon) + readable(entries.values)
        for entry in entries.values { found += findings(of: entry, within: &horizon) }
        // What is wrong is little beside all sessions, so that only that is put in order.
        let places = Self.ordered(
            Set(found.flatMap(\.sessions)).compactMap { entries[$0] },
            within: &horizon
        )
        .enumerated().map { ($1.session.id, $0) }
        let ranks = Dictionary(uniqueKeysWithValues: places)
        func rank(_ id: StoredSession.ID) -> Int { ranks[id] ?? 0 }
        return found.map { finding in
            var finding = finding
            finding.sessions.sort { rank($0) < rank($1) }
            let first = finding.sessions.first.map(rank) ?? 0
            return (key: (finding.severityRank, finding.rule.rawValue, first), finding: finding)
        }
        .sorted { $0.key < $1.key }
        .map(\.finding)
    }

    /// A refresh token at two places: two programs will use it, and of a one-time token only one can.
    private func shared(
        _ entries: some Sequence<Entry>,
        within horizon: inout Horizon
    ) -> [StoreFinding] {
        // Of most there is one, of which no list is made.
        var single: Set<Fingerprint> = []
        var shared: Set<Fingerprint> = []
        for entry in entries {
            guard let refresh = entry.session.refresh, !refresh.isEnded(within: &horizon) else {
                continue
            }
            if !single.insert(refresh.fingerprint).inserted { shared.insert(refresh.fingerprint) }
        }
        guard !shared.isEmpty else { return [] }
        var places: [Fingerprint: [StoredSession]] = [:]
        for entry in entries {
            guard let token = entry.session.refresh?.fingerprint, shared.contains(token) else {
                continue
            }
            places[token, default: []].append(entry.session)
        }
        return places.values.compactMap { sessions in
            // The same file has it twice in some formats.
            guard let first = sessions.first, Set(sessions.map(\.id.file)).count > 1 else {
                return nil
            }
            let isReusable = sessions.allSatisfy { $0.isOneTime == false }
            // Some programs have the same token in two files of their own.
            guard !isReusable || Set(sessions.map(\.store)).count > 1 else { return nil }
            let isOneTime = sessions.contains { $0.isOneTime == true }
            return StoreFinding(
                rule: .sharedRefreshToken,
                severity: isOneTime ? .bug : isReusable ? .note : .risk,
                confidence: isReusable || isOneTime ? .certain : .likely,
                sessions: sessions.map(\.id),
                tokens: [first.refresh?.fingerprint].compactMap(\.self),
                measure: nil
            )
        }
    }

    private func findings(of entry: Entry, within horizon: inout Horizon) -> [StoreFinding] {
        let session = entry.session
        func finding(
            _ rule: StoreFinding.Rule,
            _ severity: ObservedFinding.Severity,
            _ confidence: ObservedFinding.Confidence,
            _ tokens: [Fingerprint?],
            _ time: Date? = nil
        ) -> StoreFinding {
            StoreFinding(
                rule: rule,
                severity: severity,
                confidence: confidence,
                sessions: [session.id],
                tokens: tokens.compactMap(\.self),
                measure: time.map(StoreFinding.Measure.time)
            )
        }
        var found: [StoreFinding] = []
        for change in entry.latestTokens {
            guard case .token(_, let old, let new, let age) = change.kind else { continue }
            switch age {
            case .newer: continue
            case .endsFirst: found.append(finding(.olderPair, .risk, .likely, [old, new]))
            case .returned: found.append(finding(.returnedToken, .risk, .likely, [old, new]))
            case .older: found.append(finding(.olderPair, .bug, .certain, [old, new]))
            }
            break
        }
        let tokens = [session.main, session.refresh].compactMap(\.self)
        for token in tokens {
            if !token.isInferred, let stated = token.statedEnd, let own = token.claims?.expiresAt,
                horizon.isReached(own), !horizon.isReached(stated)
            {
                found.append(finding(.statedEnd, .bug, .certain, [token.fingerprint], own))
            }
        }
        let newest = tokens.compactMap { token in token.claims?.issuedAt.map { (token, $0) } }
            .max { $0.1 < $1.1 }
        if let (token, issued) = newest,
            !horizon.isReached(issued.addingTimeInterval(-Self.clockTolerance))
        {
            found.append(finding(.clock, .risk, .likely, [token.fingerprint], issued))
        } else if let token = session.main, let begin = token.claims?.notBefore,
            !horizon.isReached(begin.addingTimeInterval(-Self.clockTolerance))
        {
            found.append(finding(.notYetValid, .risk, .certain, [token.fingerprint], begin))
        }
        if session.state(within: &horizon) == .ending {
            found.append(
                finding(
                    .unrenewed,
                    .note,
                    session.renewal == .login ? .certain : .likely,
                    [session.main?.fingerprint],
                    session.end
                )
            )
        }
        return found
    }

    /// One finding for each file, however many sessions it has.
    private func readable(_ entries: some Sequence<Entry>) -> [StoreFinding] {
        let exposed = Dictionary(
            grouping: entries.filter { $0.facts?.isOpen ?? false },
            by: \.session.id.file
        )
        return exposed.keys.sorted().compactMap { file in
            guard let entries = exposed[file], let facts = entries.first?.facts else { return nil }
            return StoreFinding(
                rule: .readableFile,
                severity: facts.protectingFolder == nil ? .risk : .note,
                confidence: .certain,
                sessions: entries.map(\.session.id),
                tokens: [],
                measure: .mode(facts.mode)
            )
        }
    }
}

extension StoreFinding {
    fileprivate var severityRank: Int {
        let severity = ObservedFinding.Severity.allCases.firstIndex(of: severity) ?? 0
        return severity * 2 + (confidence == .certain ? 0 : 1)
    }
}

extension LocalSessions.Entry {
    /// The tokens that were written last, the refresh token first, which says more.
    fileprivate var latestTokens: [StoreChange] {
        let changes = history.filter(\.isToken)
        return changes.filter { $0.at == changes.last?.at }.reversed()
    }
}
