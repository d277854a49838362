import Basics
import Client
import FoundationEssentials
import Model
import Observer
import Platform
import Profiles

/// Everything that is stored under a profile's name, as one JSON object.
struct DataExport {
    let name: String
    /// Returns the representation of a token.
    let token: (Secret) -> JSONValue
    /// Names the tokens that are hidden where the backend repeats them.
    let fingerprinter: Fingerprinter
    private(set) var isWhole = true
    private var sessions: [JSONValue] = []

    init(
        of name: String,
        fingerprinter: Fingerprinter,
        token: @escaping (Secret) -> JSONValue
    ) {
        self.name = name
        self.fingerprinter = fingerprinter
        self.token = token
    }

    var json: JSONValue { ["profile": .string(name), "sessions": .array(sessions)] }

    /// Adds the data of one backend.
    mutating func add(_ stored: StoredProfile) async {
        let localData = stored.localData
        var session: [String: JSONValue] = [
            "baseURL": .string(stored.location.baseURL),
            "vault": .string(localData.vault.place),
            "files": .array(localData.files.map(JSONValue.string)),
            "places": .object(StorageSummary(localData).json),
            "statistics": localData.statistics.content ?? .null,
            "requests": .array(
                localData.requests.entries.map {
                    ["method": .string($0.method), "path": .string($0.path)]
                }
            ),
            "profileFiles": .array((stored.chosen?.files ?? []).map(JSONValue.string)),
        ]
        switch await stored.record() {
        case .success(let record):
            session["record"] =
                record.map { RecordCoding.json(of: shown($0), token: token) } ?? .null
        case .failure(let problem):
            isWhole = false
            session["problem"] = .string(problem.message)
        }
        sessions.append(.object(session))
    }

    private func shown(_ record: VaultRecord) -> VaultRecord {
        let secrets = KnownSecrets(fingerprinter: fingerprinter).adding(record.secrets)
        var record = record
        if let pair = record.pair { record.pair?.statements = pair.statements.hiding(secrets) }
        return record
    }
}
