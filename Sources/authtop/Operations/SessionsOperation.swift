import Basics
import Client
import FoundationEssentials
import Model
import Profiles
import UI

/// Lists the user's active sessions, or ends one of them.
struct SessionsOperation: SessionOperation {
    let timeout = 45.0

    let profile: String
    /// The id of the session to end, or `nil` to list all.
    let ended: String?
    private var hasAsked = false

    init(profile: String, ending ended: String?) {
        self.profile = profile
        self.ended = ended
    }

    mutating func step(_ event: SessionEvent, _ session: SessionSnapshot) -> OperationStep {
        switch event.kind {
        case .capabilities(let capabilities): return check(capabilities)
        case .stateChanged: return enter(session.state, at: event.moment)
        case .sessions(.listed(let list)): return listed(list, at: event.moment)
        case .sessions(.ended(let id)): return .done("ended the session \(shown(id))")
        case .sessions(.failed(let failure)):
            return .failed(.unreachable, "\(profile): \(CauseText().text(failure))")
        default: return .wait
        }
    }

    private func check(_ capabilities: Capabilities) -> OperationStep {
        let name = capabilities.dialect
        guard capabilities.listsSessions else {
            return .failed(.badInput, "\(profile): \(name) does not list sessions")
        }
        guard ended == nil || capabilities.endsSessions else {
            return .failed(.badInput, "\(profile): --end: \(name) cannot end a single session")
        }
        return .wait
    }

    private mutating func enter(_ state: SessionState, at moment: Moment) -> OperationStep {
        switch state {
        case .vaultUnavailable(let problem):
            return .failed(.unreachable, "\(profile): \(problem.message)")
        case .signedOut(let reason):
            let message = reason == .never ? "signed out" : ReasonText.sentence(reason)
            return .failed(.notSo, "\(profile): \(message); run: authtop login \(profile)")
        case .offline(let outlook):
            let message = FailureText.full(outlook.failure)
            return .failed(.unreachable, "\(profile): \(message); the session is kept")
        case .cold, .signingIn, .signingOut, .fresh, .renewing, .retrying, .blocked, .unknown,
            .draining:
            guard state.isLive, !hasAsked else { return .wait }
            hasAsked = true
            return send(.sessions, id: 1, at: moment)
        }
    }

    /// The session to end must be in the list, with exactly this id.
    private func listed(_ list: [ListedSession], at moment: Moment) -> OperationStep {
        guard let ended else {
            let more = list.count == Dialect.sessionsLimit ? "; more are not shown" : ""
            return .done(CountFormatter.count(list.count, "active session") + more)
        }
        let meant = list.first { session in
            session.isExact && (session.id == ended || session.exactID == Secret(ended))
        }
        guard let meant else {
            return .failed(.notSo, "\(profile): there is no session \(shown(ended))")
        }
        return send(.endSession(meant.id), id: 2, at: moment)
    }

    private func send(_ call: ProtectedCall, id: Int, at moment: Moment) -> OperationStep {
        let deadline = moment.now + .seconds(20)
        return .send(.sendRequest(id: id, call: call, why: .user, deadline: deadline))
    }

    private func shown(_ id: String) -> String { id.inOneLine(limit: 60) }

    func outOfTime(_ session: SessionSnapshot) -> OperationEnd {
        .failed(CommandFailure(.unreachable, "\(profile): no answer in time"))
    }

    func details(of session: SessionSnapshot, at moment: Moment, _ clock: ClockFormatter)
        -> [String]
    {
        guard ended == nil, let list = session.activeSessions.list, !list.isEmpty else { return [] }
        let width = max(2, list.map { shown($0.id).count }.max() ?? 0)
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
                shown(entry.id),
                when(entry.startedAt, moment, clock),
                when(entry.lastUsedAt, moment, clock),
                (entry.name ?? "").inOneLine(limit: 40)
            )
        }
        let columns = ["began", "last used"].map { $0.padded(to: 12) }
        let heading = row(" ", "id", columns[0], columns[1], "name")
        let legend = list.contains { $0.isCurrent == true } ? ["* this one"] : []
        return ([heading] + rows).map(\.withoutTrailingBlanks) + legend
    }

    private func when(_ seconds: Double?, _ moment: Moment, _ clock: ClockFormatter) -> String {
        guard let seconds else { return "–".padded(to: 12) }
        return clock.when(Date(timeIntervalSince1970: seconds), now: moment.wall).padded(to: 12)
    }

    /// Returns one JSON object per session.
    func objects(of session: SessionSnapshot) -> [String] {
        (session.activeSessions.list ?? []).map { entry in
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
