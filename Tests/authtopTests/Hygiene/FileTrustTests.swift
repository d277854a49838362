import Foundation
import Glibc
import TestSupport
import Testing

@Suite("A file that others have a hand in", .programs)
struct FileTrustTests {
    /// The file that a command reads or writes, and its fault.
    enum Wrong: String, CaseIterable, Sendable {
        case profile
        case profileFolder
        case base
        case profileOfSomebody
        case credentialsForAll
        case credentialsOfSomebody
        case credentialsLink
        case importLink
        case logOfSomebody

        var onlyRootCanMakeIt: Bool { rawValue.hasSuffix("OfSomebody") }

        var message: String {
            switch self {
            case .profile, .base, .profileFolder: "others can write it; run: chmod go-w"
            case .profileOfSomebody, .credentialsOfSomebody, .logOfSomebody:
                "belongs to another user; make it yours"
            case .credentialsForAll: "others can read it; run: chmod 600"
            case .credentialsLink, .importLink: "a symbolic link"
            }
        }
    }

    @Test("is refused before anything is read of it or sent", arguments: Wrong.allCases)
    func refused(wrong: Wrong) async throws {
        if wrong.onlyRootCanMakeIt, geteuid() != 0 { return }
        try await withBench { bench in
            let folder = "config/authtop/profiles"
            let profile = try bench.write(
                "extends = \"voltyks\"\nbase_url = \"http://127.0.0.1:1\"\n",
                to: "\(folder)/base.toml"
            )
            let mine = try bench.write("extends = \"base\"\n", to: "\(folder)/mine.toml")
            let secrets = try bench.writePrivately("password = x\nemail = y\n", to: "secrets")
            for path in [mine, profile] { chmod(path, 0o600) }
            chmod(bench.home + "/" + folder, 0o700)
            let link = bench.home + "/link"
            symlink(secrets, link)
            var arguments = ["watch", "mine", "--json", "--vault", "memory"]
            var refused = mine
            switch wrong {
            case .profile: chmod(mine, 0o622)
            case .base:
                chmod(profile, 0o620)
                refused = profile
            case .profileFolder:
                refused = bench.home + "/" + folder
                chmod(refused, 0o770)
            case .profileOfSomebody: chown(mine, 65_534, 65_534)
            case .credentialsForAll, .credentialsOfSomebody:
                refused = secrets
                arguments += ["--credentials", secrets]
                if wrong == .credentialsForAll { chmod(secrets, 0o640) }
                if wrong == .credentialsOfSomebody { chown(secrets, 65_534, 65_534) }
            case .credentialsLink:
                refused = link
                arguments += ["--credentials", link]
            case .importLink:
                refused = link
                arguments += ["--import", link]
            case .logOfSomebody:
                refused = secrets
                arguments += ["--log", secrets]
                chown(secrets, 65_534, 65_534)
            }
            let program = try bench.authtop(arguments)
            #expect(try await program.ended() == .exit(2))
            #expect(program.output.lines == [])
            #expect(program.errors.text.contains("\(refused): \(wrong.message)"))
        }
    }

    @Test("a profile that is a link to one's own file is as good as the file")
    func profileLink() async throws {
        try await withBench { bench in
            let elsewhere = try bench.writePrivately(
                "extends = \"voltyks\"\nbase_url = \"http://127.0.0.1:1\"\n",
                to: "elsewhere.toml"
            )
            try bench.write("extends = \"mine\"\n", to: "config/authtop/profiles/other.toml")
            chmod(bench.home + "/config/authtop/profiles", 0o700)
            symlink(elsewhere, bench.home + "/config/authtop/profiles/mine.toml")
            let show = try bench.authtop(["profiles", "show", "mine"])
            #expect(try await show.ended() == .exit(0), "\(show.errors.text)")
            chmod(elsewhere, 0o602)
            let refused = try bench.authtop(["profiles", "show", "mine"])
            #expect(try await refused.ended() == .exit(2))
        }
    }
}
