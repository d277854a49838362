import Basics
import UI

/// Asks a user at the terminal what to watch, and says what the answer amounts to.
struct ProxyQuestions {
    /// Returns the line that was typed, or `nil` at the end of input.
    let ask: (String) -> String?
    let say: (String) -> Void
    /// Whether there is a program of a name.
    let isProgram: (String) -> Bool
    /// The ports of this machine at which programs listen.
    let listeningPorts: [Int]
    /// The command line so far, such as `authtop proxy`.
    let words: [String]
    /// The command of `--exec`: then only its backend is asked for.
    var command: String?

    /// The ports that are named as examples: those that the system gives to clients are not.
    private static let examples = 1024..<32_768
    private static let exampleLimit = 4

    /// Asks until an answer names something, and is confirmed.
    ///
    /// - Returns: What to watch.
    /// - Throws: `CommandFailure` at the end of input.
    func choice() throws(CommandFailure) -> ProxyChoice {
        if command == nil { introduce() }
        var answer: String?
        while true {
            switch try read(answer) {
            case .success(let choice):
                say("")
                choice.sentences(listeningPorts: listeningPorts).forEach { say("  \($0)") }
                say("  The same again: \(ShellWord.line(words + options(of: choice)))")
                say("")
                let next = try line("Return starts; or another answer: ")
                if next.isEmpty { return choice }
                answer = next
            case .failure(let mistake):
                say("  \(mistake.message)")
                answer = nil
            }
        }
    }

    private func introduce() {
        let ports = listeningPorts.filter(Self.examples.contains).prefix(Self.exampleLimit)
        let listening = ports.map(String.init).joined(separator: ", ")
        say("What should authtop watch?")
        say("")
        say("  a backend       its address: https://api.example.com")
        say("  a local server  its port: 3000")
        if !ports.isEmpty { say("                  (programs listen at \(listening))") }
        say("  a program       the command that starts it: npm test")
        say("  a demo          nothing: press Return")
        say("")
    }

    // `answer` is what was typed already.
    private func read(
        _ answer: String?
    ) throws(CommandFailure) -> Result<ProxyChoice, ProxyChoice.Mistake> {
        if let command { return try read(answer, forBackendOf: command) }
        let text = if let answer { answer } else { try line("Watch: ") }
        guard !text.isEmpty else { return .success(.demo) }
        do throws(ProxyChoice.Mistake) {
            switch try ProxyChoice.answer(text, isProgram: isProgram) {
            case .backend(let url): return .success(.backend(url: url))
            case .command: break
            }
        } catch {
            return .failure(error)
        }
        return try read(nil, forBackendOf: text)
    }

    private func read(
        _ answer: String?,
        forBackendOf command: String
    ) throws(CommandFailure) -> Result<ProxyChoice, ProxyChoice.Mistake> {
        let known = ProxyChoice.hosts(in: command)
        if answer == nil {
            say("")
            say("Where does it send its tokens? Name the hosts, such as")
            say("api.example.com, or the variable with its backend's")
            say("address, such as API_URL=https://api.example.com")
            say("")
        }
        let usual = known.isEmpty ? "" : " (Return: \(known.joined(separator: ", ")))"
        let text = if let answer { answer } else { try line("Hosts\(usual): ") }
        guard !text.isEmpty || known.isEmpty else {
            return .success(.command(command, .hosts(known)))
        }
        do throws(ProxyChoice.Mistake) {
            return .success(.command(command, try ProxyChoice.backend(text)))
        } catch {
            return .failure(error)
        }
    }

    /// The options that the command line does not have yet.
    private func options(of choice: ProxyChoice) -> [String] {
        // The command of `--exec` is the last one.
        command == nil ? choice.options : choice.options.dropLast(2)
    }

    private func line(_ question: String) throws(CommandFailure) -> String {
        guard let text = ask(question) else {
            throw CommandFailure(.badInput, "nothing was named: \(ProxyRunCommand.expectation)")
        }
        return String(text.trimmingBlanks)
    }
}
