import Basics
import Platform
import Profiles
import Proxy

/// What is to be watched, as a user at the terminal names it.
enum ProxyChoice: Equatable {
    case demo
    case backend(url: String)
    case command(String, Backend)

    /// How a command finds its backend.
    enum Backend: Equatable {
        /// By these hosts, which it knows.
        case hosts([String])
        /// By the base URL in a variable.
        case variable(String, url: String)
    }

    /// An answer that names nothing to watch, with the reason for the user.
    struct Mistake: Error, Equatable {
        let message: String
    }

    /// The options of the command line that amount to it.
    var options: [String] {
        switch self {
        case .demo: ["--demo"]
        case .backend(let url): ["--to", url]
        case .command(let command, .hosts(let hosts)):
            ["--forward", hosts.joined(separator: ","), "--exec", command]
        case .command(let command, .variable(let name, let url)):
            ["--to", url, "--env", name, "--exec", command]
        }
    }

    /// What was understood, for the user, in sentences.
    ///
    /// - Parameter ports: Those of this machine at which programs listen.
    /// - Returns: The sentences, each for a line of its own.
    func sentences(listeningPorts ports: [Int]) -> [String] {
        let use = "Your app uses the address of the proxy in its place."
        switch self {
        case .demo: return ["A clumsy app on the built-in backend, with the usual mistakes."]
        case .backend(let url):
            guard let origin = try? BackendOrigin(parsing: url), origin.isLoopback else {
                return ["The backend \(url).", use]
            }
            let isThere = ports.isEmpty || ports.contains(origin.port)
            let server = "The server at port \(origin.port) of this machine"
            return [server + (isThere ? "." : ", where nothing listens yet."), use]
        case .command(let command, .hosts(let hosts)):
            return [
                "The command \(command), and what it sends to \(hosts.joined(separator: ", ")).",
                "It gets the proxy in HTTPS_PROXY, and the certificate in SSL_CERT_FILE.",
            ]
        case .command(let command, .variable(let name, let url)):
            return [
                "The command \(command), and what it sends to \(url).",
                "It gets the address of the proxy in \(name) in its place.",
            ]
        }
    }
}

// What a user types.
extension ProxyChoice {
    /// An answer to what should be watched.
    enum Answer: Equatable {
        case backend(url: String)
        case command(String)
    }

    /// Reads an address, a port of this machine, or a command.
    ///
    /// - Parameters:
    ///   - text: What was typed, not empty.
    ///   - isProgram: Whether there is a program of a name.
    /// - Returns: What it names.
    /// - Throws: `Mistake` if it is none of these.
    static func answer(
        _ text: String,
        isProgram: (String) -> Bool
    ) throws(Mistake) -> Answer {
        guard !text.has(" ") else { return .command(text) }
        let port = text.part(after: ":") ?? Substring(text)
        if isNumber(port) {
            guard let number = Int(port), (1...65_535).contains(number) else {
                throw Mistake(message: "\(port) is no port: expected 1 to 65535")
            }
            return .backend(url: "http://127.0.0.1:\(number)")
        }
        if text.containsBytes(of: "://") { return .backend(url: try url(text)) }
        if isProgram(text) || text.begins(with: "/") || text.begins(with: ".") {
            return .command(text)
        }
        guard let host = RequestHost(String(text.part(before: "/"))),
            host.isAddress || host.isLoopback || host.name.has(".")
        else {
            throw Mistake(
                message:
                    "\(text) is no address, such as api.example.com, no port, and no command that "
                    + "is installed"
            )
        }
        return .backend(url: try url((host.isLoopback ? "http://" : "https://") + text))
    }

    /// Reads how a command finds its backend: names of hosts, or the variable with a URL.
    ///
    /// - Parameter text: What was typed, not empty.
    /// - Returns: The backend of the command.
    /// - Throws: `Mistake` if it is neither.
    static func backend(_ text: String) throws(Mistake) -> Backend {
        if let (name, value) = text.halves(at: "="),
            name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil
        {
            return .variable(String(name), url: try url(String(value)))
        }
        guard !isNumber(text) else {
            throw Mistake(
                message:
                    "a server of this machine is named by the variable with its address, such as "
                    + "API_URL=http://127.0.0.1:\(text)"
            )
        }
        let parts = text.replacing(bytes: ",", with: " ").parts(at: " ")
        return .hosts(try names(parts.map(host)))
    }

    /// The hosts in the URLs of a command, in their order.
    static func hosts(in command: String) -> [String] {
        var hosts: [String] = []
        for match in command.matches(of: /https?:\/\/[A-Za-z0-9.-]+/) {
            guard let host = try? names([host(match.output)]).first, !hosts.contains(host) else {
                continue
            }
            hosts.append(host)
        }
        return hosts
    }

    /// The host of a URL, or of what is none.
    private static func host(_ text: Substring) -> String {
        let rest = text.range(ofBytes: "://").map { text[$0.upperBound...] } ?? text
        return String(rest.part(before: "/").part(before: ":"))
    }

    private static func isNumber(_ text: some StringProtocol) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func names(_ texts: [String]) throws(Mistake) -> [String] {
        do throws(ForwardedHostError) {
            return try ForwardedHosts(parsing: texts).names
        } catch {
            throw Mistake(message: error.description)
        }
    }

    private static func url(_ text: String) throws(Mistake) -> String {
        do throws(BackendOriginError) {
            return try BackendOrigin(parsing: text).description
        } catch {
            throw Mistake(message: error.description)
        }
    }
}
