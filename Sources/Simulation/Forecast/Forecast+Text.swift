import Client
package import Model
import Profiles

/// A forecast as lines of text, at most 100 columns wide.
extension Forecast {
    package func lines(causes: any CauseFormatter) -> [String] {
        var behaviors: [BackendBehavior] = []
        for row in rows where !behaviors.contains(row.backend) { behaviors.append(row.backend) }
        return header + behaviors.flatMap { section($0, causes) }
    }

    private var header: [String] {
        let refresh =
            rows.first?.backend == .hasNone
            ? "no refresh token" : "refresh token \(lifetime(.refresh, refreshLifetime))"
        let titles = [
            "\(profile): access token \(lifetime(.access, accessLifetime)), \(refresh)",
            "\(ElapsedFormatter.text(days * 86_400)) from a login, a request every "
                + ElapsedFormatter.text(requestEvery),
        ]
        guard !faults.isEmpty else { return titles }
        let percent = Int((faultRate * 100).rounded())
        return titles + ["\(percent) % of the exchanges fail: \(faults.joined(separator: ", "))"]
    }

    /// A lifetime, marked if it is the stored session's, or if nothing states it.
    private func lifetime(_ kind: TokenKind, _ seconds: Double) -> String {
        let mark = assumed.contains(kind) ? " (assumed)" : stored.contains(kind) ? " (stored)" : ""
        return ElapsedFormatter.text(seconds) + mark
    }

    /// Both clients on one backend.
    private func section(
        _ behavior: BackendBehavior,
        _ causes: any CauseFormatter
    ) -> [String] {
        let rows = rows.filter { $0.backend == behavior }
        return ["", "If \(behavior.rawValue)", ""] + table(rows) + [""]
            + rows.flatMap { row in
                ["  \(row.client.rawValue): \(row.ending(within: days, causes))"]
                    + ["    \(row.strip(days: days))"] + row.timeline.lines
            }
    }

    private func table(_ rows: [Row]) -> [String] {
        let header = [
            "", "first renewal", "last renewal", "renewals", "a day", "failed", "401s", "requests",
        ]
        let cells = [header] + rows.map { $0.cells(days: days) }
        let widths = header.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { row in
            let columns = row.indices.map { column in
                column < 3
                    ? Columns.left(row[column], widths[column])
                    : Columns.right(row[column], widths[column])
            }
            return "  " + columns.joined(separator: "  ")
        }
    }
}

extension Forecast.Row {
    fileprivate func cells(days: Double) -> [String] {
        let lived = min(days, (endsAt ?? followedUntil ?? .infinity) / 86_400)
        // A rate per day is meaningless for a session that lasted less than a day.
        let rate = lived >= 1 ? Double(renewals) / lived : 0
        return [
            client.rawValue, firstRenewalAt.map(DayFormatter.text) ?? "never",
            lastRenewalAt.map(DayFormatter.text) ?? "never", NumberText.text(renewals),
            DayFormatter.rate(rate), NumberText.text(failedRenewals),
            NumberText.text(refusedRequests), NumberText.text(requests),
        ]
    }

    fileprivate func ending(within days: Double, _ causes: any CauseFormatter) -> String {
        guard hasBegun else { return "no session: the login fails" }
        if let followedUntil {
            let seen = renewals > 0 ? "renewed" : "never renewed"
            return "\(seen) until \(DayFormatter.text(followedUntil)), and followed no further: "
                + "too many steps"
        }
        guard let endsAt else {
            return renewals > 0 ? "continues as long as it is renewed" : "never renewed so far"
        }
        let why =
            refusal.map { " (refresh token refused: \($0.text))" }
            ?? reason.map { " (\(causes.brief($0)))" } ?? ""
        let isLater = endsAt > days * 86_400
        let again = drainsAt == nil ? "" : ": log in before"
        return
            "\(isLater ? "will be " : "")signed out on \(DayFormatter.text(endsAt))\(why)\(again)"
    }

    /// The days as a line: where it is renewed, where it ends.
    fileprivate func strip(days: Double) -> String {
        let width = 80
        let perCell = days * 86_400 / Double(width)
        func cell(_ seconds: Double) -> Int { min(width - 1, max(0, Int(seconds / perCell))) }
        var cells = Array(repeating: Character("─"), count: width)
        for entry in timeline.entries where entry.message.contains("renewed") {
            guard entry.at <= days * 86_400 else { continue }
            let gap = entry.count > 1 ? (entry.until - entry.at) / Double(entry.count - 1) : 0
            for index in 0..<entry.count {
                cells[cell(entry.at + gap * Double(index))] = "●"
            }
        }
        if let followedUntil, followedUntil < days * 86_400 {
            return String(cells.prefix(cell(followedUntil) + 1)) + "…"
        }
        guard let endsAt, endsAt <= days * 86_400 else { return String(cells) }
        return String(cells.prefix(cell(endsAt))) + "○"
    }
}

extension RefreshRefusalCause {
    /// The fate of the token, in a word.
    var text: String {
        switch self {
        case .missing: "not sent"
        case .malformed: "malformed"
        case .unknown: "not known"
        case .spent: "spent"
        case .expired: "expired"
        case .revoked: "revoked"
        }
    }
}

extension Timeline {
    /// Returns the entries, one per line.
    fileprivate var lines: [String] {
        let gap = skipped > 0 ? ["      … \(NumberText.text(skipped)) more …"] : []
        return parts.first.flatMap(\.lines) + gap + parts.last.flatMap(\.lines)
    }
}

extension Timeline.Entry {
    fileprivate var lines: [String] {
        let first = "    \(DayFormatter.padded(at))  \(Columns.cut(message, 79))"
        guard count > 1 else { return [first] }
        let every = (until - at) / Double(count - 1)
        let last = "    \(DayFormatter.padded(until))  the last of \(NumberText.text(count))"
        return [first, last + ", one about every \(ElapsedFormatter.text(every.rounded()))"]
    }
}

/// Times of a forecast, counted from the login.
enum DayFormatter {
    /// `day 29, 14:20`.
    static func text(_ seconds: Double) -> String {
        "day \(day(seconds)), \(clock(seconds))"
    }

    /// The same, as wide as any day of the next decade.
    static func padded(_ seconds: Double) -> String {
        "day \(Columns.right(String(day(seconds)), 4)), \(clock(seconds))"
    }

    /// `58.1`, or `–` where it rounds to nothing.
    static func rate(_ perDay: Double) -> String {
        let tenths = Int((perDay * 10).rounded())
        guard tenths > 0 else { return "–" }
        return "\(NumberText.text(tenths / 10)).\(tenths % 10)"
    }

    private static func minutes(_ seconds: Double) -> Int { Int((seconds / 60).rounded(.down)) }

    private static func day(_ seconds: Double) -> Int { minutes(seconds) / 1_440 }

    private static func clock(_ seconds: Double) -> String {
        [minutes(seconds) / 60 % 24, minutes(seconds) % 60]
            .map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }
}
