import FoundationEssentials

@testable import Basics
@testable import Profiles

/// A time as a server writes it, in a header or in a field with the expiry of a token.
enum TimeTarget: FuzzTarget {
    static let name = "times"

    static func read(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let response = WireResponse(
            status: 200,
            headers: [WireHeader("Date", text), WireHeader("Retry-After", text)],
            body: Array(JSONValue.object(["access": "a", "at": .string(text)]).serialized.utf8)
        )
        if let date = response.date { check(date) }
        MessageCheck.check(response.retryAfter)
        require(DurationParser.seconds(in: text)?.isFinite != false, "a time has an end")
        require(dialects.count == kinds.count, "the dialects can be read")
        for dialect in dialects {
            guard case .issued(let tokens) = dialect.readLogin(response) else {
                require(false, "a strange expiry is no reason to refuse a token")
                continue
            }
            IssuedCheck.check(tokens, in: response)
        }
    }

    private static func check(_ date: Date) {
        let seconds = date.timeIntervalSince1970
        require((-62_135_596_800...253_402_300_799).contains(seconds), "\(seconds) has four digits")
        let text = HTTPDate.format(date)
        require(HTTPDate.parse(text) == date, "a date reads as it was written: \(text)")
    }

    private static let kinds = [
        "seconds", "unix_seconds", "unix_milliseconds", "iso8601", "http_date",
    ]

    /// One dialect for each notation of an expiry.
    private static let dialects = kinds.compactMap { kind in
        try? Dialect(
            toml: """
                name = "times"
                [login]
                request = "POST /login"
                credentials = ["password"]
                fields = { password = "{password}" }
                [login.response]
                access = "access"
                access_expires = "\(kind):at"
                """,
            file: kind
        )
    }
}
