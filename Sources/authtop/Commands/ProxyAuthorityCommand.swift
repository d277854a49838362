import ArgumentParser
import Basics
import Client
import Model
import Platform
import Proxy
import UI

struct ProxyAuthorityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca",
        abstract: "Say how to trust the certificates of --tls, or remove their authority.",
        discussion: """
            The authority is made when it is first needed, by this command or --tls. Its certificate \
            vouches for localhost, names below localhost, 127.0.0.0/8 and ::1, for this machine's other \
            addresses if --allow-remote has made it, and for nothing else; \
            its key stays in a file that only you can read.

            Exit codes: 0 done, 2 bad input.
            """
    )

    @Flag(help: "Remove the key and the certificate, and say where else it may be trusted.")
    var remove = false

    func run() throws {
        let environment = LiveEnvironment()
        if remove {
            let files = try AuthorityFiles(in: environment)
            let existed: Bool
            do throws(VaultProblem) {
                existed = try files.remove()
            } catch {
                throw CommandFailure(.badInput, error.message)
            }
            print(AuthorityText.removal(existed, at: files.certificatePath))
            return
        }
        let stored = try StoredAuthority(in: environment)
        let clock = ClockFormatter(utcOffsetSeconds: environment.utcOffsetSeconds)
        let end = clock.when(stored.authority.endsAt, now: environment.machineTime.moment.wall)
        print(AuthorityText.trust(stored, until: end))
    }

    private func print(_ lines: [String]) {
        for line in lines where !StandardOutput.write(line) { return }
    }
}

/// The user's steps to trust an authority, and to end that.
private enum AuthorityText {
    static func trust(_ stored: StoredAuthority, until end: String) -> [String] {
        let file = stored.certificatePath
        let url = "https://127.0.0.1:9000/"
        let addresses =
            ["localhost", "127.0.0.0/8", "::1"] + stored.authority.addresses.map(\.description)
        var lines = [
            file,
            "",
            "\(stored.authority.name), until \(end). It vouches for localhost, names below",
            "\(addresses.joined(separator: ", ")), and for nothing else. Only you can read its key,",
            stored.keyPath,
            "",
            "Trust it in one program:",
        ]
        lines += rows([
            ("curl", "curl --cacert \(file) \(url)"),
            ("Node", "NODE_EXTRA_CA_CERTS=\(file)"),
            ("Python", "SSL_CERT_FILE=\(file) (httpx, websockets)"),
            ("", "REQUESTS_CA_BUNDLE=\(file) (requests)"),
            ("--exec", "AUTHTOP_CA_FILE has the name of the file"),
        ])
        lines += ["", "or everywhere, until you remove it:"]
        lines += rows([
            ("Debian", "sudo cp \(file) \(debianFile)"),
            ("", "sudo update-ca-certificates"),
            ("macOS", "security add-trusted-cert -k \(keychain) \(file)"),
            ("Chromium", "certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n authtop -i \(file)"),
            ("Firefox", "Settings, Certificates, Authorities, Import"),
            ("iOS simulator", "xcrun simctl keychain booted add-root-cert \(file)"),
            ("Android", "in the debug build's network_security_config, as <certificates>"),
        ])
        return lines
    }

    static func removal(_ existed: Bool, at file: String) -> [String] {
        guard existed else { return ["there is no authority: nothing to remove"] }
        return [
            "removed: \(file) and its key",
            "",
            "Where you have had it trusted, end that too:",
        ]
            + rows([
                ("Debian", "sudo rm \(debianFile) && sudo update-ca-certificates --fresh"),
                ("macOS", "security delete-certificate -c \"authtop local authority\" \(keychain)"),
                ("Chromium", "certutil -d sql:$HOME/.pki/nssdb -D -n authtop"),
            ])
    }

    private static let debianFile = "/usr/local/share/ca-certificates/authtop.crt"
    private static let keychain = "~/Library/Keychains/login.keychain-db"

    private static func rows(_ rows: [(String, String)]) -> [String] {
        rows.map { "  \($0.0.padded(to: 14)) \($0.1)" }
    }
}
