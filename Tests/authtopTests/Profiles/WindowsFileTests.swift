import Basics
import Client
import Foundation
import Model
import Testing

@testable import authtop

/// Files that an editor on Windows has written: CR LF at the ends of lines, and a byte order mark.
@Suite("Files with CR LF")
struct WindowsFileTests {
    private static func file(_ text: String) throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        #expect(
            FileManager.default.createFile(
                atPath: path,
                contents: Data(text.utf8),
                attributes: [.posixPermissions: 0o600]
            )
        )
        return path
    }

    @Test("credentials are the same as with LF", arguments: ["\n", "\r\n", "\r\n\r\n"])
    func credentials(end: String) throws {
        let lines = [
            "# mine", "email = user@example.com", "password = \"it's = \u{301}x\"",
            "code='12'", "token=\u{301}a",
        ]
        for mark in ["", "\u{FEFF}"] {
            let path = try Self.file(mark + lines.joined(separator: end) + end)
            defer { try? FileManager.default.removeItem(atPath: path) }
            let found = try CredentialFile(path: path)
                .read(naming: ["email", "password", "code", "token"])
                .mapValues { Array($0.reveal().utf8) }
            #expect(
                found
                    == [
                        "email": "user@example.com", "password": "it's = \u{301}x", "code": "12",
                        "token": "\u{301}a",
                    ]
                    .mapValues { Array($0.utf8) }
            )
        }
    }

    @Test("accepted findings are the same as with LF", arguments: ["\n", "\r\n"])
    func accepted(end: String) throws {
        let path = try Self.file(
            "\u{FEFF}# known\(end)race  /auth/refresh\(end)\(end)loop-401 * # all\(end)"
        )
        defer { try? FileManager.default.removeItem(atPath: path) }
        let accepted = try AcceptedFindings(readingFile: path)
        let plain = try Self.file("race /auth/refresh\nloop-401 *\n")
        defer { try? FileManager.default.removeItem(atPath: plain) }
        #expect(try accepted == AcceptedFindings(readingFile: plain))
    }
}
