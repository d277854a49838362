import Basics
import Client
import FoundationEssentials
import Model
import Platform
import UI

/// The state of a stored session, in lines for the user.
struct StatusText {
    let status: SessionStatus
    let statistics: [String: JSONValue]
    let places: StorageSummary
    let clock: ClockFormatter

    var lines: [String] {
        var rows = TextRows()
        let capabilities = status.session.capabilities
        rows.add("backend", capabilities?.baseURL ?? "")
        if let ending = status.session.lastEnding {
            rows.add("ended", clock.when(ending.at.wall, now: status.moment.wall))
        }
        if let refusal = status.session.refusal ?? status.session.lastEnding?.refusal {
            rows.add("refused", RefusalText.sentence(refusal))
        }
        if status.session.state.isLive {
            PairRows(session: status.session, moment: status.moment, clock: clock).add(to: &rows)
        }
        if let setBack = status.clockSetBack {
            let least = DurationFormatter.long(setBack)
            rows.add("clock", "set back by at least \(least) since then: the times are estimates")
        }
        if let journal = status.journal {
            let times = CountFormatter.times(journal.sends)
            rows.add("journal", "may have been sent \(times): answer lost or not usable")
        }
        if status.pendingRevocations > 0 {
            let count = CountFormatter.count(status.pendingRevocations, "logout")
            rows.add("outbox", "\(count) not sent to the backend yet")
        }
        if status.family != nil || status.pendingRevocations > 0 {
            rows.add("stored in", capabilities?.vault ?? "")
            places.add(to: &rows)
        }
        addStatistics(to: &rows)
        return ["\(status.session.profile): \(state)"] + rows.lines
    }

    private var state: String {
        switch status.session.state {
        case .vaultUnavailable(let problem):
            return "unknown, because the vault cannot be read: \(CauseText().text(problem))"
        case .signedOut(.never):
            return status.session.lastEnding.map { ReasonText.sentence($0.reason) } ?? "signed out"
        case .signedOut(let reason): return ReasonText.sentence(reason)
        case .draining(let reason): return "about to end: \(ReasonText.text(reason))"
        case .fresh: return "logged in"
        case .renewing: return "logged in, and a renewal is due"
        case .unknown: return "logged in, but the answer of the last renewal was lost or not usable"
        case .blocked, .retrying, .expired:
            guard status.isAlive else { return "ended: both tokens have expired" }
            return "logged in, but the access token has expired: a renewal is due"
        case .cold, .signingIn, .signingOut: return "not known"
        }
    }

    private func addStatistics(to rows: inout TextRows) {
        guard let renewed = count("renewed") else { return }
        let failed = count("renewalsFailed") ?? 0
        var parts = ["renewed \(CountFormatter.times(renewed))"]
        if failed > 0 { parts.append("\(failed) failed") }
        parts.append(CountFormatter.count(count("requests") ?? 0, "request"))
        rows.add("last run", parts.joined(separator: ", "))
        if let least = seconds("leadLeftLeast"), let median = seconds("leadLeftMedian") {
            let message = "least \(signed(least)), median \(signed(median))"
            rows.add("", "token lifetime left at renewal: \(message)")
        }
        if let without = seconds("withoutToken"), without > 0 {
            rows.add("", "no usable token for \(DurationFormatter.fine(without))")
        }
    }

    /// Returns a duration, with a minus sign for a renewal that came too late.
    private func signed(_ seconds: Double) -> String {
        seconds < 0 ? "−\(DurationFormatter.fine(-seconds))" : DurationFormatter.fine(seconds)
    }

    private func count(_ name: String) -> Int? { seconds(name).map { Int($0) } }

    private func seconds(_ name: String) -> Double? {
        statistics[name]?.numberValue.flatMap { abs($0) < 1e15 ? $0 : nil }
    }
}

/// The locations of a profile's data.
struct StorageSummary {
    let record: String?
    let key: String?
    /// The file of statistics, or `nil` if there is none yet.
    let statistics: String?
    /// The file of custom requests, or `nil` if there is none.
    let requests: String?
    let logs: [String]

    func add(to rows: inout TextRows) {
        if let record { rows.add("record", record) }
        if let key { rows.add("key", key) }
        if let statistics { rows.add("statistics", statistics) }
        if let requests { rows.add("requests", requests) }
        for log in logs { rows.add("log", log) }
    }

    /// The locations as members of a JSON object.
    var json: [String: JSONValue] {
        var members: [String: JSONValue] = ["logs": .array(logs.map(JSONValue.string))]
        members["record"] = record.map(JSONValue.string)
        members["key"] = key.map(JSONValue.string)
        members["requestsFile"] = requests.map(JSONValue.string)
        members["statisticsFile"] = statistics.map(JSONValue.string)
        return members
    }
}

extension StorageSummary {
    init(_ localData: ProfileData) {
        let location = localData.vault.storageLocation
        self.init(
            record: location?.record,
            key: location?.key,
            statistics: localData.statistics.isThere ? localData.statistics.path : nil,
            requests: localData.requests.isThere ? localData.requests.path : nil,
            logs: localData.logs.paths
        )
    }
}
