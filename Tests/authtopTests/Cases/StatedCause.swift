import Foundation

/// A cause, and the texts by which the screen states it.
///
/// With the true causes of a case, these tell whether another one is stated as certain.
struct StatedCause {
    let name: String
    /// Any of these says that it is so.
    let certain: [String]
    /// Any of these, in a list of possible causes, says that it may be so.
    let possible: [String]

    private init(_ name: String, _ certain: [String], possible: [String] = []) {
        self.name = name
        self.certain = certain
        self.possible = possible
    }

    /// Whether it is stated as so on a screen.
    func isCertain(on texts: [String]) -> Bool {
        certain.contains { statement in texts.contains { $0.contains(statement) } }
    }

    func isPossible(on texts: [String]) -> Bool {
        possible.contains { statement in
            texts.contains { text in
                guard let list = text.range(of: "possible") else { return false }
                return text[list.upperBound...].contains(statement)
            }
        }
    }

    static let all = [
        StatedCause("unavailable", ["unavailable", "backend answers 5", "503 not available now"]),
        StatedCause("rate-limited", ["rate limited", "429 too many", "4429 too many"]),
        StatedCause("request-rejected", ["request rejected", "404 there is no feed"]),
        StatedCause("answer-unusable", ["answer not usable"]),
        StatedCause("unconfirmed-refusal", ["it counts if it comes again"]),
        StatedCause(
            "answer-lost",
            [
                "◒ answer lost", "answer lost, again", "answer lost:", "lost answer",
                "answer was lost",
            ],
            possible: ["spent, answer lost"]
        ),
        StatedCause("no-record", ["no answer on record", "no answer is on record"]),
        StatedCause("unreachable", ["backend unreachable"]),
        StatedCause("certificate", ["certificate", "CERTIFICATE"]),
        StatedCause("name", ["no such host"]),
        StatedCause("not-http", ["is not HTTP"]),
        StatedCause("too-large", ["body over 1 MiB"]),
        StatedCause("token-refused", ["401 token refused", "again as #", "answered 401"]),
        StatedCause(
            "refresh-refused",
            ["refresh token refused", "\", the session ends", "refused: the session ends"]
        ),
        StatedCause("revoked", ["cause: revoked"], possible: ["revoked"]),
        StatedCause("forgotten", ["cause: forgotten"], possible: ["forgotten"]),
        StatedCause("used-elsewhere", ["cause: used elsewhere"], possible: ["used elsewhere"]),
        StatedCause(
            "spent",
            ["cause: spent by the last", "brought no new one", "no new one came"],
            possible: ["spent by the last renewal"]
        ),
        StatedCause(
            "refresh-expired",
            ["cause: expired", "refresh token expired", "refresh token has expired"],
            possible: ["expired"]
        ),
        StatedCause(
            "lifetime-misread",
            ["probably in milliseconds", "probably milliseconds"],
            possible: ["misread", "milliseconds", "another time zone"]
        ),
        StatedCause("no-lifetime", ["no lifetime"]),
        StatedCause("no-statement", ["no answer and no token says it"]),
        StatedCause("disagreement", ["disagree"]),
        StatedCause("no-progress", ["the expiry is not later"]),
        StatedCause(
            "access-expired",
            ["access token expired", "token has expired", "◇ token expired"]
        ),
        StatedCause("no-refresh-token", ["no refresh token", "nothing can renew it"]),
        StatedCause(
            "short-refresh-token",
            ["as the refresh token ends", "the refresh token ends"]
        ),
        StatedCause("expired-on-arrival", ["already ended"]),
        StatedCause(
            "clock",
            [
                "compare the clocks", "behind, or its Date is old", "clock ≥ +4 m",
                "clock ≥ +5 m", "clock +29 m", "clock +30 m",
            ]
        ),
        StatedCause("logout-elsewhere", ["in another authtop"]),
        StatedCause("logout", ["logged out by you ·", "logged out by you |"]),
        StatedCause("deleted", ["another program deleted"]),
        StatedCause("renewed-elsewhere", ["another process renewed", "taken over", "adopted"]),
        StatedCause(
            "lock-held",
            [
                "holds the lock since", "waits for the lock, which",
                "another process holds the lock", "lock held elsewhere",
            ]
        ),
        StatedCause("disk-full", ["disk full", "No space left"]),
        StatedCause("vault-locked", ["vault locked"]),
        StatedCause("vault-damaged", ["vault unusable", "damaged"]),
        StatedCause("stopped", ["stopped for at least"]),
        StatedCause("asleep", ["slept for", "asleep or"]),
        StatedCause("paused", ["‖"]),
        StatedCause("slow", ["renewing · cause"]),
        StatedCause("redirect", ["302 sent elsewhere", "a redirect is not followed"]),
        StatedCause("going-away", ["1001 going away"]),
        StatedCause("server-error", ["1011 server error"]),
        StatedCause("policy", ["1008 policy"]),
        StatedCause("cut", ["1006 cut"]),
        StatedCause("one-socket", ["4409 one socket only"]),
        StatedCause("forbidden", ["403 token refused, or no right", "4403 forbidden"]),
        StatedCause("silence", ["silent", "no pong", "no answer to a ping", "fell silent"]),
        StatedCause("duplicate", ["duplicate, dropped"]),
        StatedCause("gap", [" lost · 0 dup"]),
    ]
}
