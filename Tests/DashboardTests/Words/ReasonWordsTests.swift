import Dashboard
import Lifecycle
import Testing

@Suite("Words: reasons, failures, causes, close codes")
struct ReasonWordsTests {
    @Test("every end of a session has words of its own, and advice")
    func reasons() {
        let words = SignedOutReason.allCases.map(ReasonWords.words)
        #expect(Set(words).count == words.count)
        let short = SignedOutReason.allCases.map(ReasonWords.short)
        #expect(Set(short).count == short.count)
        #expect(short.allSatisfy { DisplayWidth.columns(of: $0) <= 26 })
        #expect(SignedOutReason.allCases.allSatisfy { !ReasonWords.advice($0).isEmpty })
    }

    @Test("a lost answer and a refusal are never told alike")
    func lostAndRevoked() {
        #expect(ReasonWords.advice(.lostRotation).contains("30 s"))
        #expect(ReasonWords.advice(.revoked).contains("reuse detection"))
    }

    @Test("every class of failure says what it means for the token")
    func failures() {
        let words = RefreshFailure.Class.allCases.map(FailureWords.kind)
        #expect(Set(words).count == words.count)
        let meanings = RefreshFailure.Class.allCases.map(FailureWords.meaning)
        #expect(Set(meanings).count == meanings.count)
    }

    @Test(
        "a failure with what is known of it",
        arguments: [
            (
                RefreshFailure(kind: .transient, status: 503, words: ""), "503",
                "backend unable (503)"
            ),
            (
                RefreshFailure(kind: .notSent, words: "connection refused"), "not sent",
                "not sent: connection refused"
            ),
        ]
    )
    func failure(failure: RefreshFailure, brief: String, full: String) {
        #expect(FailureWords.brief(failure) == brief)
        #expect(FailureWords.full(failure) == full)
    }

    @Test("every cause has words that fit the table")
    func causes() {
        let words = RefreshCause.allCases.map(CauseWords.words)
        #expect(Set(words).count == words.count)
        #expect(words.allSatisfy { $0.count <= 14 })
    }

    @Test(
        "close codes that a developer meets",
        arguments: [
            (1000, "done"), (1006, "cut, without a close frame"),
            (1008, "policy: most likely the token"), (4401, "token refused"),
            (4409, "one socket only"), (4711, "the backend's own code"), (99, "unknown code"),
        ]
    )
    func closeCodes(code: Int, words: String) {
        #expect(CloseCodeWords.words(code) == words)
    }
}
