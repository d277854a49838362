import Basics
import FoundationEssentials
import Model
import Platform
import Profiles
import Stores
import UI

/// Authtop's own stored sessions, and the user's profiles without one, as rows of the table.
enum OwnSessions {
    static let store = "authtop"

    /// Returns the rows; a vault that cannot be read, and a profile with a mistake, have none.
    static func rows(
        on connection: ConnectionOptions,
        in environment: LiveEnvironment
    ) async -> [LocalRow] {
        var rows: [LocalRow] = []
        for chosen in (try? await connection.storedSessions(in: environment)) ?? [] {
            let status = await chosen.status(in: environment)
            let entry = LocalSessions.Entry(session(chosen, status))
            rows.append(LocalRow(.stored(entry, isOwn: true)))
        }
        for entry in environment.catalogue.entries where entry.file != nil {
            do {
                let profile = try environment.catalogue.profile(named: entry.name)
                guard profile.namesBackend, let origin = try profile.checkedOrigin() else {
                    let problem = "it has no base_url: add --base-url"
                    rows.append(
                        LocalRow(.profile(name: entry.name, place: "", problem: problem))
                    )
                    continue
                }
                let place = origin.description
                let isStored = rows.contains { $0.profile == profile.name && $0.baseURL == place }
                guard !isStored else { continue }
                rows.append(LocalRow(.profile(name: profile.name, place: place)))
            } catch {
                let problem = (error as? CommandFailure)?.message ?? "it cannot be read"
                rows.append(LocalRow(.profile(name: entry.name, place: "", problem: problem)))
            }
        }
        return rows
    }

    /// Returns a profile's session as one of the sessions of this machine, without tokens if it has
    /// ended.
    static func session(_ chosen: ChosenProfile, _ status: SessionStatus) -> StoredSession {
        let pair = status.session.state.isLive ? status.session.current?.pair : nil
        func token(_ token: TokenDescription?, _ deadline: Deadline?) -> StoredToken? {
            token.map { token in
                StoredToken(
                    fingerprint: token.fingerprint,
                    statedEnd: deadline.map { status.moment.wallTime(at: $0.statedEnd) },
                    isAssumed: deadline?.expiry.isAssumed ?? false
                )
            }
        }
        return StoredSession(
            id: .init(file: chosen.localData.location.recordPath, place: ""),
            store: store,
            title: chosen.name,
            account: pair?.statements.user,
            issuer: chosen.origin.description,
            access: token(pair?.access, pair?.accessExpiry),
            refresh: token(pair?.refresh, pair?.refreshExpiry),
            command: "authtop login \(chosen.name)"
        )
    }
}
