package import Basics
import Client
import Model
import Profiles

/// A forecast for programs: one object; every time is in seconds from the login.
extension Forecast {
    package var json: JSONValue {
        [
            "profile": .string(profile), "dialect": .string(dialect), "days": .number(days),
            "accessLifetime": .number(accessLifetime), "refreshLifetime": .number(refreshLifetime),
            "assumed": .array(
                TokenKind.allCases.filter(assumed.contains).map { .string($0.rawValue) }
            ),
            "stored": .array(
                TokenKind.allCases.filter(stored.contains).map { .string($0.rawValue) }
            ),
            "requestEvery": .number(requestEvery), "faults": .array(faults.map(JSONValue.string)),
            "rows": .array(rows.map(\.json)),
        ]
    }
}

extension Forecast.Row {
    fileprivate var json: JSONValue {
        [
            "client": .string(client.rawValue), "backend": .string(backend.rawValue),
            "renewals": count(renewals), "failedRenewals": count(failedRenewals),
            "requests": count(requests), "refusedRequests": count(refusedRequests),
            "firstRenewalAt": time(firstRenewalAt), "lastRenewalAt": time(lastRenewalAt),
            "drainsAt": time(drainsAt), "endsAt": time(endsAt),
            "followedUntil": time(followedUntil),
            "hasBegun": .bool(hasBegun),
            "refusal": refusal.map { .string($0.rawValue) } ?? .null,
            "reason": reason.map { .string($0.rawValue) } ?? .null,
            "timeline": .array(timeline.entries.map(\.json)),
        ]
    }

    private func count(_ number: Int) -> JSONValue { .integer(Int64(number)) }

    private func time(_ seconds: Double?) -> JSONValue { seconds.map(JSONValue.number) ?? .null }
}

extension Timeline.Entry {
    fileprivate var json: JSONValue {
        [
            "at": .number(at), "until": .number(until), "count": .integer(Int64(count)),
            "what": .string(message),
        ]
    }
}
