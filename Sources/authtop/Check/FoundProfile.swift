import Basics
import Observer
import Profiles

/// A profile that extends another one by what a check has found.
struct FoundProfile {
    let name: String
    /// The name or the file of the checked profile.
    let extended: String
    let policy: PolicyFinding

    /// Returns the file's text, or `nil` if the policy is not decided.
    func text(baseURL: String?) -> String? {
        guard let verdict = policy.verdict else { return nil }
        var lines = [
            "# What authtop check found out about \(extended.inOneLine(limit: 200)).",
            "extends = \(TOMLText.quoted(extended))",
        ]
        if let baseURL { lines.append("base_url = \(TOMLText.quoted(baseURL))") }
        lines.append("rotation = \(TOMLText.quoted(rotation(verdict)))")
        lines += ["", "[refresh]"]
        if verdict == .singleUse { lines.append("one_time = true") }
        if let reuse = reuse(verdict) { lines.append("reuse = \(TOMLText.quoted(reuse))") }
        if let seconds = interval {
            let bounds = policy.window.map { CheckText.window($0) } ?? ""
            lines.append("reuse_interval = \"\(seconds)s\"   # measured: \(bounds)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func rotation(_ verdict: ReuseVerdict) -> String {
        switch verdict {
        case .fixed: "never"
        case .singleUse: "maybe"
        case .reusable, .strict, .strictRevoke, .grace, .graceAccessOnly, .graceLatest,
            .graceForks, .untilUsed, .untilAccessUsed:
            "always"
        }
    }

    private func reuse(_ verdict: ReuseVerdict) -> String? {
        switch verdict {
        case .fixed, .reusable: "accepted"
        case .singleUse, .strict: "refused"
        case .strictRevoke: "ends_session"
        case .untilUsed, .untilAccessUsed: "until_used"
        case .graceForks: "forks"
        case .grace, .graceAccessOnly, .graceLatest:
            policy.endsAfterWindow == true ? "ends_session" : "refused"
        }
    }

    /// Seconds within the window.
    private var interval: String? {
        guard policy.verdict?.isGrace == true, let window = policy.window else { return nil }
        return ExchangeText.seconds(window.likely ?? window.low)
    }
}
