import Sessions
import Tokens
import Vaults

/// Where everything is that is kept of a profile.
struct StorageSummary {
    let record: String?
    let key: String?
    /// `nil` where nothing was counted yet.
    let statistics: String?
    /// `nil` where nobody wrote a request.
    let requests: String?
    let logs: [String]

    init(_ localData: ProfileData) {
        let storageLocation = localData.vault.storageLocation
        record = storageLocation?.record
        key = storageLocation?.key
        statistics = localData.statistics.isThere ? localData.statistics.path : nil
        requests = localData.requests.isThere ? localData.requests.path : nil
        logs = localData.logs.paths
    }

    func add(to rows: inout TextRows) {
        if let record { rows.add("record", record) }
        if let key { rows.add("key", key) }
        if let statistics { rows.add("statistics", statistics) }
        if let requests { rows.add("requests", requests) }
        for log in logs { rows.add("log", log) }
    }

    /// As members of an object.
    var json: [String: JSONValue] {
        var members: [String: JSONValue] = ["logs": .array(logs.map(JSONValue.string))]
        members["record"] = record.map(JSONValue.string)
        members["key"] = key.map(JSONValue.string)
        members["requestsFile"] = requests.map(JSONValue.string)
        members["statisticsFile"] = statistics.map(JSONValue.string)
        return members
    }
}
