import ArgumentParser
import Basics
import Client
import Glibc
import Model
import Observer
import Profiles
import UI

struct RequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Send a custom request with the stored session's token, and print the response.",
        usage: "authtop request [<options>] <profile> <method> <path>",
        discussion: """
            The access token is placed as in the profile's protected request. It is renewed first \
            if necessary, and once after a 401. The body of the response is printed, with tokens \
            replaced; its status goes to stderr.

            Exit codes: 0 answered with 2xx or 3xx, 1 with another status, or signed out, 2 bad \
            input, 3 not reachable.
            """
    )

    @OptionGroup var options: OperationOptions

    @Argument(help: "The method, such as GET or POST.")
    var method: String

    @Argument(help: "The path, beginning with a slash, with an optional query.")
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
        let whole = try withBody(request, type: run.chosen.dialect.customBodyType)
        guard let (outcome, remedy, answer) = try await run.send(whole) else { return }
        let message = CommandFailure(.notSo, outcome, run: remedy).repeating(.ofProgram).message
        let text = ResponseText(
            body: answer.response?.body ?? [],
            secrets: answer.secrets,
            names: run.chosen.dialect.recognition.secrets
        )
        StandardError.write("authtop: \(message)".visibleInOneLine)
        for line in text.lines where !StandardOutput.write(line) { break }
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
        if type.asciiLowercased.containsBytes(of: "json"), JSONValue(parsing: bytes) == nil,
            !bytes.isEmpty
        {
            StandardError.write("authtop: --body is not JSON, but is sent as JSON")
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
