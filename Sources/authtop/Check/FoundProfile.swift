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
        var document = TOMLDocument()
        document.addComment(
            "What authtop check found out about \(extended.inOneLine(limit: 200))."
        )
        document.set("extends", to: extended)
        if let baseURL { document.set("base_url", to: baseURL) }
        document.set("rotation", to: rotation(verdict))
        document.beginTable(["refresh"])
        if verdict == .singleUse { document.set("one_time", to: .bool(true)) }
        if let reuse = reuse(verdict) { document.set("reuse", to: reuse) }
        if let seconds = interval {
            let bounds = policy.window.map { CheckText.window($0) } ?? ""
            document.set("reuse_interval", to: "\(seconds)s", comment: "measured: \(bounds)")
        }
        return document.text
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
