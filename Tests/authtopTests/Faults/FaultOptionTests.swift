import Model
import TestSupport
import Testing

@Suite("Options: faults and reuse policies", .programs)
struct FaultOptionTests {
    @Test(
        "what is unknown is answered in one line with what there is",
        arguments: [
            (["demo", "--faults", "rate-limt"], "did you mean rate-limit?"),
            (["sandbox", "--faults", "delay,rate-limt"], "did you mean rate-limit?"),
            (["demo", "--faults", "delay:onse"], "once"),
            (["sandbox", "--faults", "delay:seconds=x"], "seconds=0 to 600"),
            (["sandbox", "--faults", "delay@later"], "such as @30s"),
            (["demo", "--fault", "corupted-token"], "did you mean corrupted-token?"),
            (["watch", "voltyks", "--fault", "short-life"], "There are expired-token"),
            (["demo", "--fault", "cut-feed:off"], "expected an experiment to begin"),
            (["demo", "--fault", "cut-feed", "--readonly"], "--readonly forbids experiments"),
            (["demo", "--faults", ""], "There are drop-after-commit"),
            (["demo", "--reuse", "strickt"], "did you mean strict?"),
            (["sandbox", "--reuse", "grace:10"], "seconds=0 to 86400"),
        ]
    )
    func mistakes(arguments: [String], says: String) async throws {
        try await withBench { bench in
            let program = try bench.authtop(arguments)
            #expect(try await program.ended() == .exit(2))
            #expect(program.output.lines.isEmpty)
            #expect(program.errors.lines.count == 1)
            #expect(program.errors.text.contains(says))
        }
    }

    @Test("the sandbox says how to switch its faults, and which are on")
    func told() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--faults", "delay:p=0.5, rate-limit:once")
            try await eventually("how to switch them") {
                sandbox.program.output.text.contains(
                    #"curl -d '{"once": "rate-limit"}' http://127.0.0.1:\#(sandbox.port)/__sandbox/faults"#
                )
            }
            try await eventually("which are on") {
                sandbox.program.output.text.contains("delay:p=0.5, rate-limit:once")
            }
        }
    }

    @Test("the help lists every fault", arguments: ["demo", "sandbox"])
    func help(command: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let list = try await HandMadeRequest(method: "GET", target: "/__sandbox/faults")
                .send(to: sandbox.port)
            let names = list.body.matches(of: /"name" : "([a-z0-9-]+)"/).map { String($0.output.1) }
            #expect(names.count > 15)
            let program = try bench.authtop([command, "--help"])
            #expect(try await program.ended() == .exit(0))
            for name in names { #expect(program.output.text.contains(name), "\(name)") }
            // Each is one row of the help, which is 80 columns wide.
            for fault in Fault.ofBackend {
                #expect(program.output.text.contains("  \(fault.sentence)\n"), "\(fault.name)")
            }
        }
    }

    @Test("a fault with a time begins then, and not before")
    func later() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--faults", "rate-limit:seconds=7@2s")
            #expect(sandbox.program.errors.lines.isEmpty)
            try await eventually("that it has begun") {
                sandbox.program.errors.lines.first == "fault rate-limit:seconds=7"
            }
            let list = try await HandMadeRequest(method: "GET", target: "/__sandbox/faults")
                .send(to: sandbox.port)
            #expect(list.body.contains("\"rate-limit:seconds=7\""))
        }
    }

    @Test("an experiment with the backend begins once there are tokens, and its result is a line")
    func experiments() async throws {
        try await withBench { bench in
            let program = try bench.authtop([
                "demo", "--dialect", "voltyks", "--access-ttl", "10m", "--json",
                "--fault", "lose-answer@3s", "--fault", "corrupted-token",
            ])
            let stream = EventStream(program.output)
            let first = try await stream.first("experimentEnded")
            #expect(first.text("experiment") == "corruptedToken")
            #expect(first.text("verdict") == "tokenRefused")
            try await eventually("the second one, by the name of its fault with an app") {
                program.output.lines.contains {
                    $0.contains("\"experimentEnded\"") && $0.contains("\"lostAnswer\"")
                }
            }
        }
    }

    @Test("a fault is explained in each place where it can act, by any of its names")
    func explained() async throws {
        try await withBench { bench in
            for name in ["drop-after-commit", "lost-answer", "lose-answer"] {
                let program = try bench.authtop(["proxy", "explain", name])
                #expect(try await program.ended() == .exit(0))
                let text = program.output.text
                #expect(text.contains("drop-after-commit (fault of the sandbox)"))
                #expect(text.contains("lost-answer (experiment with a backend)"))
                #expect(text.contains("lose-answer:reset|hang (experiment with an app)"))
            }
        }
    }

    @Test("faults come and go by the seed: the same seed gives the same schedule")
    func random() async throws {
        try await withBench { bench in
            let options = ["--faults", "random", "--seed", "7"]
            let first = try await bench.sandbox(options[0], options[1], options[2], options[3])
            let second = try await bench.sandbox(options[0], options[1], options[2], options[3])
            var lines: [String] = []
            for sandbox in [first, second] {
                lines.append(
                    try await eventually("a step of the schedule") {
                        sandbox.program.errors.lines.first
                    }
                )
                try await eventually("its seed") {
                    sandbox.program.output.text.contains("--seed 7")
                }
            }
            #expect(lines[0] == lines[1])
            #expect(lines[0].hasPrefix("fault "))
        }
    }

    @Test("the demo runs under faults")
    func demo() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter(
                "authtop demo --access-ttl 10m --faults server-error:refresh:status=503"
            )
            try await terminal.see("● fresh")
            try await terminal.press("r")
            try await terminal.see("◑ renewal failed ×1 (503)")
        }
    }
}
