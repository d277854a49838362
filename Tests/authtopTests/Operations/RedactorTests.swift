import Testing

@testable import authtop

@Suite("Redactor")
struct RedactorTests {
    @Test(
        "takes out what may be a secret",
        arguments: [
            (
                "sent eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl now",
                "sent ‹redacted› now"
            ),
            ("Authorization: Bearer abcdef-0123456789", "Authorization: Bearer ‹redacted›"),
            ("/callback?token=abcdef0123456789&x=1", "/callback?token=‹redacted›&x=1"),
            (
                #"{"refresh_token":"abcdef0123456789","x":1}"#,
                #"{"refresh_token":"‹redacted›","x":1}"#
            ),
            ("password = correct-horse", "password = ‹redacted›"),
        ]
    )
    func secrets(line: String, expected: String) {
        #expect(Redactor.redacted(line) == expected)
    }

    @Test(
        "leaves alone what is none",
        arguments: [
            #"{"kind":"request","token":"04f16049","url":"/auth/refresh","status":200}"#,
            #"{"at":"2026-11-21T16:22:33.487Z","baseURL":"http://127.0.0.1:8799/bitbasel"}"#,
            "the backend refused the refresh token",
            "key in a 0600 file beside it: /home/a/.local/state/authtop/x-2e536cc37f2f3d4a.vault",
        ]
    )
    func harmless(line: String) {
        #expect(Redactor.redacted(line) == line)
    }
}
