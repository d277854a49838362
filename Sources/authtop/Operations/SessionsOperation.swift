import Basics
import Client
import FoundationEssentials
import Model
import Profiles
import UI

extension OperationRun {
    /// Lists the user's active sessions, or ends one of them, which must be in the list with exactly
    /// this id.
    ///
    /// - Parameter ended: The id of the session to end, or `nil` to list all.
    /// - Returns: The list as it was before.
    /// - Throws: `CommandFailure` if it failed.
    func sessions(ending ended: String?) async throws -> Outcome<[ListedSession]>? {
        let profile = chosen.name
        return try await follow(within: 45) { store throws(CommandFailure) in
            let capabilities = await store.capabilities
            guard capabilities.listsSessions else {
                let message = "\(profile): \(capabilities.dialect) does not list sessions"
                throw CommandFailure(.badInput, message)
            }
            guard ended == nil || capabilities.endsSessions else {
                throw CommandFailure(
                    .badInput,
                    "\(profile): --end: \(capabilities.dialect) cannot end a single session"
                )
            }
            try ActiveSessionsText.check(await store.load(), profile)
            let answer = await store.sessions()
            guard case .listed(let list, _) = answer else {
                throw try await store.failure(.list, answer, profile)
            }
            guard let ended else { return list }
            let meant = list.first { session in
                session.isExact && (session.id == ended || session.exactID == Secret(ended))
            }
            guard let meant else {
                let id = ActiveSessionsText.shown(ended)
                throw CommandFailure(.notSo, "\(profile): there is no session \(id)")
            }
            let end = await store.endSession(meant.id)
            guard case .accepted = end else {
                throw try await store.failure(.end, end, profile)
            }
            return list
        }
    }
}

extension SessionStore {
    fileprivate func failure(
        _ request: SessionListFailure.Request,
        _ end: RequestEnd,
        _ profile: String
    ) throws(CommandFailure) -> CommandFailure {
        // The state says more than the request that it ended.
        try ActiveSessionsText.check(state, profile)
        if end == .noToken(.cancelled) {
            return CommandFailure(.unreachable, "\(profile): no answer in time")
        }
        let text = CauseText().text(SessionListFailure(request, end))
        return CommandFailure(.unreachable, "\(profile): \(text)")
    }
}

/// The list of active sessions, as text.
struct ActiveSessionsText {
    let list: [ListedSession]
    let moment: Moment
    let clock: ClockFormatter

    static func shown(_ id: String) -> String { id.inOneLine(limit: 60) }

    /// - Throws: Why no request can be sent in this state.
    static func check(_ state: SessionState, _ profile: String) throws(CommandFailure) {
        switch state {
        case .vaultUnavailable(let problem): throw .vaultUnavailable(problem, profile)
        case .signedOut(let reason): throw .signedOut(reason, profile)
        case .expired(let outlook):
            let message = FailureText.full(outlook.failure)
            throw CommandFailure(.unreachable, "\(profile): \(message); you stay logged in")
        case .cold, .signingIn, .signingOut, .fresh, .renewing, .retrying, .blocked, .unknown,
            .draining:
            break
        }
    }

    var message: String {
        let more = list.count == Dialect.sessionsLimit ? "; more are not shown" : ""
        return CountFormatter.count(list.count, "active session") + more
    }

    var lines: [String] {
        guard !list.isEmpty else { return [] }
        let width = max(2, list.map { Self.shown($0.id).count }.max() ?? 0)
        let hasUse = list.contains { $0.lastUsedAt != nil }
        let hasName = list.contains { $0.name != nil }
        func row(_ mark: String, _ id: String, _ began: String, _ used: String, _ name: String)
            -> String
        {
            ["\(mark) \(id.padded(to: width))", began]
                .appending(used, if: hasUse).appending(name, if: hasName)
                .joined(separator: "  ")
        }
        let rows = list.map { entry in
            row(
                entry.isCurrent == true ? "*" : " ",
                Self.shown(entry.id),
                when(entry.startedAt),
                when(entry.lastUsedAt),
                (entry.name ?? "").inOneLine(limit: 40)
            )
        }
        let columns = ["began", "last used"].map { $0.padded(to: 12) }
        let heading = row(" ", "id", columns[0], columns[1], "name")
        let legend = list.contains { $0.isCurrent == true } ? ["* this one"] : []
        return ([heading] + rows).map(\.withoutTrailingBlanks) + legend
    }

    private func when(_ seconds: Double?) -> String {
        guard let seconds else { return "–".padded(to: 12) }
        return clock.when(Date(timeIntervalSince1970: seconds), now: moment.wall).padded(to: 12)
    }

    /// One JSON object per session.
    var objects: [String] {
        list.map { entry in
            var members: [String: JSONValue] = ["id": .string(entry.id)]
            members["name"] = entry.name.map(JSONValue.string)
            members["startedAt"] = entry.startedAt.map(JSONValue.number)
            members["lastUsedAt"] = entry.lastUsedAt.map(JSONValue.number)
            members["current"] = entry.isCurrent.map(JSONValue.bool)
            return JSONValue.object(members).serialized
        }
    }
}

extension [String] {
    fileprivate func appending(_ text: String, if isShown: Bool) -> [String] {
        isShown ? self + [text] : self
    }
}

extension String {
    fileprivate var withoutTrailingBlanks: String {
        var text = self
        while text.ends(with: " ") { text.removeLast() }
        return text
    }
}
