import ArgumentParser
import Dialects
import Glibc
import Sessions
import Tokens

struct RequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Send a request of your own on the stored session, and print the answer.",
        discussion: """
            The access token goes where the profile's protected request has it; it is renewed first \
            if need be, and once after a 401. In the answer, tokens are replaced.

            Exit codes: 0 answered with 2xx or 3xx, 1 with another status, or signed out, 2 bad \
            input, 3 not reachable.
            """
    )

    @OptionGroup var options: OperationOptions

    @Argument(help: "Such as GET or POST.")
    var method: String

    @Argument(help: "Begins with a slash; a query is part of it.")
    var path: String

    @Option(
        help: ArgumentHelp("The body: - for stdin, or a file.", valueName: "-|file"),
        completion: .file()
    )
    var body: String?

    func run() async throws {
        let request: CustomRequest
        do throws(CustomRequestProblem) {
            request = try CustomRequest(method: method, target: path)
        } catch {
            throw CommandFailure(.badInput, error.message)
        }
        let run = try await options.run(printsEvents: false)
        let operation = RequestOperation(
            profile: run.chosen.name,
            request: try withBody(request, type: run.chosen.dialect.customBodyType)
        )
        guard let (message, answer) = try await run.answer(to: operation) else { return }
        let text = ResponseText(
            body: answer.response?.body ?? [],
            secrets: answer.secrets
        )
        for line in [message] + text.lines where !StandardOutput.write(line) { return }
        guard let status = answer.response?.status, (200..<400).contains(status) else {
            throw ExitCode(CommandFailure.Exit.notSo.rawValue)
        }
    }

    private func withBody(_ request: CustomRequest, type: String) throws -> CustomRequest {
        guard let body else { return request }
        let bytes = try Self.read(body)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.badInput, "--body \(body): expected UTF-8 text")
        }
        if type.lowercased().contains("json"), JSONValue(parsing: bytes) == nil, !bytes.isEmpty {
            StandardError.write("authtop: --body: it is not JSON, and is sent as JSON all the same")
        }
        do throws(CustomRequestProblem) {
            return try CustomRequest(
                method: request.method,
                target: request.target,
                body: Secret(text)
            )
        } catch {
            throw CommandFailure(.badInput, "--body: \(error.message)")
        }
    }

    private static func read(_ place: String) throws -> [UInt8] {
        let descriptor = place == "-" ? dup(STDIN_FILENO) : open(place, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .badInput,
                "--body \(place): \(String(cString: strerror(errno)))"
            )
        }
        defer { close(descriptor) }
        guard let bytes = FileTrust.contents(of: descriptor, limit: CustomRequest.bodyLimit) else {
            throw CommandFailure(.badInput, "--body \(place): expected a readable file")
        }
        return bytes
    }
}
