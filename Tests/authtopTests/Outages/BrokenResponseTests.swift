import TestSupport
import Testing

@Suite("An answer that is no HTTP", .programs)
struct BrokenResponseTests {
    @Test(
        "is named, and ends no program by a signal",
        arguments: [["login"], ["watch", "--json", "--for", "5s"], ["inspect", "--jwks"]],
        [
            ("HTTP/1.1 000 X\r\n\r\n", "status 000"),
            ("HTTP/1.1 099 X\r\nContent-Length: 2\r\n\r\n{}", "status 099"),
            (
                String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 500),
                "over 16 interim responses (1xx)"
            ),
        ]
    )
    func named(command: [String], answer: (bytes: String, message: String)) async throws {
        try await withBench { bench in
            let server = bench.keep(try LoopbackServer { _ in answer.bytes })
            let base = "http://127.0.0.1:\(server.port)"
            let isInspection = command.first == "inspect"
            let program =
                isInspection
                ? try bench.authtop(command + [base + "/keys"], reading: MadeToken(endsIn: 60).text)
                : try bench.authtop(
                    command + ["voltyks", "--base-url", base],
                    with: Guide.voltyks.credentials
                )
            #expect(try await program.ended() == .exit(3))
            let message = "the answer of 127.0.0.1:\(server.port) is not HTTP: \(answer.message)"
            #expect(program.errors.text.contains(message), "\(program.errors.text)")
        }
    }
}
