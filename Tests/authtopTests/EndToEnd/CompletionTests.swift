import TestSupport
import Testing

@Suite("Shell completions", .programs)
struct CompletionTests {
    @Test("are a script for every shell", arguments: ["bash", "zsh", "fish"])
    func script(shell: String) async throws {
        try await withBench { bench in
            let program = try bench.authtop(["--generate-completion-script", shell])
            #expect(try await program.ended() == .exit(0))
            for command in ["demo", "watch", "inspect", "profiles"] {
                #expect(program.output.text.contains(command))
            }
        }
    }

    @Test("propose commands, profiles, the user's own among them, options and their values")
    func proposals() async throws {
        try await withBench { bench in
            _ = try bench.write(
                "extends = \"voltyks\"",
                to: "config/authtop/profiles/mine.toml"
            )
            for (line, expected) in [
                ("authtop wa", "watch"), ("authtop watch mi", "mine"),
                ("authtop watch vol", "voltyks"), ("authtop watch mine vol", "voltyks"),
                ("authtop watch --al", "--all"), ("authtop status voltyks --va", "--vault"),
                ("authtop status voltyks --vault fi", "file"),
                ("authtop demo --dialect mel", "melchat"),
                ("authtop demo --faults dro", "drop-after-commit"),
                ("authtop sandbox --reuse gr", "grace-forks"),
                ("authtop forecast voltyks --faults rat", "rate-limit"),
                ("authtop proxy run --fault lo", "lose-answer"),
                ("authtop proxy run --fail-on ra", "race"), ("authtop proxy --al", "--allow-host"),
                ("authtop proxy --fault lo", "lose-answer"),
                ("authtop proxy ca --re", "--remove"), ("authtop proxy explain ra", "race"),
                ("authtop proxy --fail-on race,sp", "race,spent-refresh"),
                ("authtop demo --faults delay,drop-r", "delay,drop-request"),
                ("authtop check voltyks --only reach,lo", "reach,login"),
                ("authtop token voltyks --format exe", "exec-credential"),
            ] {
                #expect(try await bench.proposals(after: line).contains(expected), "\(line)")
            }
        }
    }

    @Test("propose for a command what is its own", arguments: ["proxy ca", "proxy explain"])
    func ownOptions(command: String) async throws {
        try await withBench { bench in
            let proposals = try await bench.proposals(after: "authtop \(command) --")
            #expect(proposals.contains("--help"))
            #expect(!proposals.contains("--to"))
        }
    }

    @Test("propose a name once in a value of several")
    func onceOnly() async throws {
        try await withBench { bench in
            let proposals = try await bench.proposals(after: "authtop demo --faults delay,d")
            #expect(!proposals.contains("delay,delay"))
        }
    }
}

extension Bench {
    /// The proposals of bash after a line.
    fileprivate func proposals(after line: String) async throws -> [String] {
        let script = """
            authtop() { "\(Authtop.path)" "$@"; }
            eval "$(authtop --generate-completion-script bash)"
            COMP_LINE="\(line)" COMP_POINT=${#COMP_LINE}
            read -ra COMP_WORDS <<<"$COMP_LINE"
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _authtop authtop "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let shell = try keep(
            Program("/bin/bash", ["-c", script], environment: environment)
        )
        _ = try await shell.ended()
        return shell.output.text.split(whereSeparator: \.isWhitespace).map(String.init)
    }
}
