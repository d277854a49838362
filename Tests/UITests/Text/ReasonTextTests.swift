import Model
import Testing

@testable import UI

@Suite("Text: reasons, failures, causes, close codes")
struct ReasonTextTests {
    @Test("every end of a session has its own text, and advice")
    func reasons() {
        let message = SignedOutReason.allCases.map(ReasonText.text)
        #expect(Set(message).count == message.count)
        let short = SignedOutReason.allCases.map(ReasonText.short)
        #expect(Set(short).count == short.count)
        #expect(short.allSatisfy { DisplayWidth.columns(of: $0) <= 26 })
        #expect(SignedOutReason.allCases.allSatisfy { !ReasonText.advice($0, .standard).isEmpty })
    }

    @Test("a lost answer and a refusal have different texts")
    func lostAndRevoked() {
        #expect(ReasonText.advice(.lostRotation, .standard).contains("30 s"))
        #expect(ReasonText.advice(.revoked, .standard).contains("reuse detection"))
    }

    @Test(
        "when an app renews is said in whole seconds, or as a part of one",
        arguments: [
            (59.93467503, "59 s before the end"), (119.9, "1 m 59 s before the end"),
            (0.2504, "250 ms before the end"),
        ]
    )
    func beforeEnd(seconds: Double, text: String) {
        #expect(CauseText().text(RequestCause.observed(.beforeEnd(seconds: seconds))) == text)
    }

    @Test("every class of failure says what it means for the token")
    func failures() {
        let message = RefreshFailure.Class.allCases.map(FailureText.kind)
        #expect(Set(message).count == message.count)
        let meanings = RefreshFailure.Class.allCases.map(FailureText.meaning)
        #expect(Set(meanings).count == meanings.count)
    }

    @Test(
        "a failure with what is known of it",
        arguments: [
            (
                RefreshFailure(.unavailable(status: 503, detail: nil)), "503",
                "backend unavailable (503)"
            ),
            (
                RefreshFailure(.unsent(.unreachable(detail: "connection refused"))),
                "backend unreachable",
                "backend unreachable: connection refused"
            ),
        ]
    )
    func failure(failure: RefreshFailure, brief: String, full: String) {
        #expect(FailureText.brief(failure) == brief)
        #expect(FailureText.full(failure) == full)
    }

    @Test("every cause has words that fit the table")
    func causes() {
        let message = RefreshCause.allCases.map { CauseText().text($0) }
        #expect(Set(message).count == message.count)
        #expect(message.allSatisfy { $0.count <= 14 })
    }

    @Test(
        "close codes that a developer meets",
        arguments: [
            (1000, "done"), (1006, "cut, without a close frame"),
            (1008, "policy: most likely the token"), (4401, "token refused"),
            (4409, "one socket only"), (4711, "the backend's own code"), (99, "unknown code"),
        ]
    )
    func closeCodes(code: Int, message: String) {
        #expect(CloseCodeText.text(code) == message)
    }
}
