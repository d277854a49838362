import Basics
import Model
import Platform
import Synchronization
import Terminal
import UI

/// The user's editor, which has the terminal while it runs; sessions go on meanwhile.
@MainActor
final class ProfileEditor {
    private let screen: TerminalScreen
    private let variables: [String: String]
    /// Whether the program ends, and the editor with it.
    private nonisolated let isOver = Mutex(false)
    private var task: Task<Void, Never>?

    init(on screen: TerminalScreen, variables: [String: String]) {
        self.screen = screen
        self.variables = variables
    }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - file: The path of the file.
    ///   - tell: Gets a message for the user if the editor was not opened, or failed.
    func open(_ file: String, tell: @escaping @Sendable (String) -> Void) {
        let words = Self.words(in: variables)
        // A path that begins with a hyphen would be an option.
        let path = file.begins(with: "-") ? "./\(file)" : file
        guard let program = TerminalProgram(words + [path], variables: variables) else {
            return tell("\(words[0]) was not found: set VISUAL or EDITOR to your editor")
        }
        task = Task { [self] in
            let message = await screen.lend { () -> String? in
                do throws(VaultProblem) {
                    let ending = try await program.run {
                        TerminalScreen.wasAskedToEnd || self.isOver.withLock { $0 }
                    }
                    return Self.message(ending, of: words[0])
                } catch {
                    return "not opened: \(error.message)"
                }
            }
            if let message { tell(message) }
        }
    }

    /// Ends the editor, and returns once the terminal is this program's again.
    func end() async {
        isOver.withLock { $0 = true }
        await task?.value
    }

    /// The editor with its arguments, which are apart by blanks.
    static func words(in variables: [String: String]) -> [String] {
        let named = ["VISUAL", "EDITOR"].compactMap { variables[$0]?.parts(at: " ") }
        return named.first { !$0.isEmpty }?.map(String.init) ?? ["vi"]
    }

    private static func message(_ ending: ForegroundProgram.Ending, of name: String) -> String? {
        switch ending {
        case .exited(0): nil
        case .exited(let code): "\(name) ended with \(code)"
        case .signaled(let signal): "\(name) was ended by signal \(signal)"
        }
    }
}
