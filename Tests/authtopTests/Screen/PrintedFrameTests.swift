import TestSupport
import Testing

@Suite("A printed screen", .programs)
struct PrintedFrameTests {
    @Test("is the dashboard as text, in the size that was asked for")
    func text() async throws {
        try await withBench { bench in
            let program = try bench.authtop([
                "demo", "--print-frame", "80x24", "--for", "3s", "--access-ttl", "120s",
            ])
            #expect(try await program.ended() == .exit(0))
            let lines = program.output.text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == 24)
            #expect(lines.allSatisfy { $0.count <= 80 })
            #expect(lines.first?.contains("bitbasel · user@example.com") == true)
            #expect(lines.dropFirst().first?.contains("● fresh · renews in") == true)
            #expect(lines.last?.contains("? help") == true)
        }
    }

    @Test("is a picture that an XML parser accepts")
    func picture() async throws {
        try await withBench { bench in
            let program = try bench.authtop([
                "demo", "--print-frame", "120x40", "--frame-format", "svg", "--for", "3s",
            ])
            #expect(try await program.ended() == .exit(0))
            let file = try bench.write(program.output.text, to: "frame.svg")
            let parser = bench.keep(
                try Program(
                    "/usr/bin/python3",
                    [
                        "-c",
                        """
                        import sys, xml.dom.minidom
                        document = xml.dom.minidom.parse(sys.argv[1])
                        texts = document.getElementsByTagName('text')
                        fresh = any('fresh' in text.firstChild.data for text in texts)
                        print(document.documentElement.tagName, fresh)
                        """,
                        file,
                    ],
                    environment: bench.environment
                )
            )
            #expect(try await parser.ended() == .exit(0))
            #expect(parser.output.text == "svg True")
        }
    }

    @Test("shows a session that could not begin, and says so by the exit code")
    func refused() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let program = try bench.authtop(
                [
                    "watch", "voltyks", "--vault", "memory", "--print-frame", "120x40", "--for",
                    "3s",
                    "--base-url", "http://127.0.0.1:\(sandbox.port)/voltyks",
                ],
                with: Guide.voltyks.credentials.merging(["AUTHTOP_VOLTYKS_PASSWORD": "wrong"]) {
                    $1
                }
            )
            #expect(try await program.ended() == .exit(1))
            #expect(program.output.text.contains("○ login failed: refused (401)"))
        }
    }

    @Test("shows what keys open")
    func keys() async throws {
        try await withBench { bench in
            let program = try bench.authtop([
                "demo", "--print-frame", "120x40", "--for", "3s", "--frame-keys", "2 Enter",
            ])
            #expect(try await program.ended() == .exit(0))
            #expect(program.output.text.contains("Esc back"))
        }
    }

    @Test(
        "takes no key that acts on the session, and no name that is none",
        arguments: [("2 r", "r acts on the session"), ("2 nosuch", "--frame-keys")]
    )
    func refusedKeys(keys: String, message: String) async throws {
        try await withBench { bench in
            let program = try bench.authtop([
                "demo", "--print-frame", "80x24", "--for", "2s", "--frame-keys", keys,
            ])
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains(message))
        }
    }

    @Test("has a size that is one", arguments: ["80", "80x", "0x24", "80x24x2", "501x1", "-3x4"])
    func sizes(size: String) async throws {
        try await withBench { bench in
            let program = try bench.authtop(["demo", "--print-frame=\(size)"])
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains("--print-frame"))
        }
    }
}
