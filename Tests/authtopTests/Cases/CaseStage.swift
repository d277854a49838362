import Foundation
import Glibc
import TestSupport

/// Carries out the steps of a case, with the program on a screen against real servers.
///
/// | step | does |
/// | --- | --- |
/// | `sandbox OPTIONS` | starts `authtop sandbox` |
/// | `serve OPTIONS` | starts `server.py`, an OAuth 2.0 server of its own |
/// | `relay` | puts a TCP relay before the server |
/// | `lose PATH` | the relay loses the answer to the next request of a path |
/// | `answer PATH STATUS [BODY]` | the relay answers that request itself |
/// | `refuse`, `accept` | the relay refuses connections, and accepts them again |
/// | `profile LINE` | adds a line to the profile that is watched; `mine` extends `oauth2` |
/// | `watch ARGUMENTS` | starts `authtop watch` on the screen |
/// | `demo ARGUMENTS` | starts `authtop demo` on the screen |
/// | `fault FAULT`, `faults off` | sets the sandbox's faults |
/// | `fired FAULT` | waits until a fault has acted |
/// | `press KEYS`, `type TEXT` | presses keys, by tmux's names |
/// | `sh COMMAND` | runs a line of shell, whose last result must be 0 |
/// | `hold COMMAND` | starts a line of shell, and waits for its first line of output |
/// | `restart OPTIONS` | ends the sandbox, and starts another at the same port |
/// | `disk` | puts a small disk at the state folder; `fill`, `room` fill and empty it |
/// | `elapse SECONDS` | lets time pass |
/// | `env NAME=VALUE` | sets a variable for what is started after it |
/// | `sleeper` | has what is started after it take its clocks from `sleeper.c` |
/// | `sleep SECONDS` | the machine was suspended so long, as far as those clocks tell |
/// | `see TEXT` | waits for a text on the screen |
/// | `open KEYS` | presses them once the panes were read, for the overlay that they open |
/// | `row TEXT` | the row of a pane that is part of what is seen |
/// | `cause NAME…` | the true causes, by their names in `StatedCause` |
/// | `running` | the session goes on: numbers that grow are left out of what is compared |
/// | `known TEXT` | the screen is known not to state the cause |
///
/// `{port}`, `{home}` and `{authtop}` stand for the server's port, the home folder and the program.
final class CaseStage {
    private let bench: Bench
    private var port = 0
    private var sandbox: Sandbox?
    private var relay: Relay?
    private var disk: SmallDisk?
    private var own = ["AUTHTOP_MINE_USERNAME": "u", "AUTHTOP_MINE_PASSWORD": "hunter2"]
    private var profile: [String] = []
    private(set) var terminal: Terminal?

    struct Mistake: Error {
        let step: String
    }

    init(_ bench: Bench) {
        self.bench = bench
    }

    func run(_ step: String) async throws {
        let verb = String(step.prefix { $0 != " " })
        let rest = filled(String(step.dropFirst(verb.count + 1)))
        if try await serve(verb, rest) { return }
        if try await disturb(verb, rest) { return }
        if try await drive(verb, rest) { return }
        guard ["open", "row", "cause", "maybe", "running", "known"].contains(verb) else {
            throw Mistake(step: step)
        }
    }

    private func filled(_ text: String) -> String {
        text.replacing("{port}", with: "\(port)").replacing("{home}", with: bench.home)
            .replacing("{authtop}", with: Authtop.path)
    }

    // MARK: - Servers

    private func serve(_ verb: String, _ rest: String) async throws -> Bool {
        switch verb {
        case "sandbox":
            try await start(["--port", "0"] + rest.split(separator: " ").map(String.init))
        case "restart":
            let old = port
            await sandbox?.program.stop()
            try await start(["--port", "\(old)"] + rest.split(separator: " ").map(String.init))
        case "serve":
            let script = FailureCases.folder.appending(path: "server.py").path(
                percentEncoded: false
            )
            port = try await started(
                Program.python,
                [script, bench.home] + rest.split(separator: " ").map(String.init)
            )
        case "relay":
            guard let sandbox else { throw Mistake(step: verb) }
            let relay = try bench.relay(to: sandbox)
            self.relay = relay
            port = relay.port
        case "profile": profile.append(rest)
        default: return false
        }
        return true
    }

    private func start(_ arguments: [String]) async throws {
        let program = try bench.authtop(["sandbox"] + arguments)
        let line = try await eventually("the sandbox", evidence: { program.errors.text }) {
            program.output.lines.first
        }
        port = line.split(separator: ":").last.flatMap { Int($0) } ?? 0
        sandbox = Sandbox(program: program, port: port)
    }

    /// Starts a program that prints its port, or any other number, first.
    private func started(_ path: String, _ arguments: [String]) async throws -> Int {
        let program = bench.keep(try Program(path, arguments, environment: bench.environment))
        let line = try await eventually("\(path)", evidence: { program.errors.text }) {
            program.output.lines.first
        }
        return Int(line) ?? 0
    }

    // MARK: - What goes wrong

    private func disturb(_ verb: String, _ rest: String) async throws -> Bool {
        let words = rest.split(separator: " ", maxSplits: 2).map(String.init)
        switch verb {
        case "fault": try await sandbox?.switchOn(rest)
        case "faults": try await sandbox?.switchAllOff()
        case "fired": try await sandbox?.fired(rest)
        case "lose": relay?.prepare(.answerLost, for: rest)
        case "answer":
            let body = words.count > 2 ? words[2] : ""
            let status = Int(words[1]) ?? 0
            let isPage = body.hasPrefix("<")
            let answer = isPage ? Answers.html(status, body) : Answers.json(status, body)
            relay?.prepare(.answered(answer), for: words[0])
        case "refuse": try await relay?.refuse()
        case "accept": try await relay?.accept()
        case "sh":
            try await Program.shell(rest, environment: variables)
        case "hold":
            _ = try await started("/bin/sh", ["-c", rest])
        case "env":
            let parts = rest.split(separator: "=", maxSplits: 1).map(String.init)
            own[parts[0]] = parts[1]
        case "sleeper":
            let source = FailureCases.folder.appending(path: "sleeper.c")
                .path(percentEncoded: false)
            let library = bench.home + "/sleeper.so"
            try await Program.shell("clang -shared -fPIC -O1 '\(source)' -o '\(library)'")
            own["LD_PRELOAD"] = library
            own["SLEEPER_FILE"] = bench.home + "/slept"
        case "sleep": try bench.write(rest, to: "slept")
        case "disk": disk = bench.keep(try await SmallDisk(at: bench.home + "/state"))
        case "fill": try await disk?.fill()
        case "room": try disk?.makeRoom()
        case "elapse":
            let end = ContinuousClock.now + .seconds(Double(rest) ?? 0)
            try await eventually("\(rest) s to pass") { ContinuousClock.now >= end }
        default: return false
        }
        return true
    }

    // MARK: - The screen

    private func drive(_ verb: String, _ rest: String) async throws -> Bool {
        switch verb {
        case "watch", "demo":
            try write(profile, named: String(rest.prefix { $0 != " " }))
            let terminal = try await bench.terminal(columns: 150, rows: 50, with: variables)
            self.terminal = terminal
            try await terminal.enter(command(verb, rest))
        case "press":
            for key in rest.split(separator: " ") { try await terminal?.press(String(key)) }
        case "type": try await terminal?.type(rest)
        case "see": try await terminal?.see(rest)
        case "gone": try await terminal?.seeNo(rest)
        default: return false
        }
        return true
    }

    /// Writes the lines of a profile, if there are any, over the one that has its name.
    private func write(_ lines: [String], named name: String) throws {
        guard !lines.isEmpty else { return }
        let start =
            name == "mine"
            ? ["extends = \"oauth2\"", "client_auth = \"none\""] : ["extends = \"\(name)\""]
        try bench.write(
            (start + lines).joined(separator: "\n") + "\n",
            to: "config/authtop/profiles/\(name).toml"
        )
    }

    private func command(_ verb: String, _ rest: String) -> String {
        var words = ["authtop", verb] + rest.split(separator: " ").map(String.init)
        guard verb == "watch" else { return words.joined(separator: " ") }
        if let guide = Guide(rawValue: words[2]), !words.contains("--base-url") {
            words += ["--base-url", "http://127.0.0.1:\(port)/\(guide.rawValue)"]
        }
        if !words.contains("--vault") { words += ["--vault", "memory"] }
        return words.joined(separator: " ")
    }

    private var variables: [String: String] {
        Guide.allCases.reduce(bench.environment.merging(own) { $1 }) {
            $0.merging($1.credentials) { $1 }
        }
    }
}
