import Basics
import Platform
import Profiles
import Terminal

/// What the user wants to be told of, and how: `[notifications]` and `[[on]]` of the configuration.
struct NotificationSettings: Sendable {
    /// Notifications of the terminal, while it is in the background.
    enum TerminalWay: String, CaseIterable, Sendable {
        /// As the terminal that the environment names shows them.
        case auto
        case osc9
        case osc777
        case osc99
        case bell
        case off
    }

    /// The number of tables `[[on]]`.
    private static let hookLimit = 16

    var terminal = TerminalWay.auto
    var hooks: [Hook] = []

    static let names = ["notifications", "on"]

    init() {}

    init(_ table: SchemaTable) throws(DialectError) {
        if let own = try table.table("notifications", keys: ["terminal"]) {
            terminal = try own.choice("terminal", as: TerminalWay.self) ?? terminal
        }
        let tables = try table.tables("on", keys: Hook.keys)
        for hook in tables { hooks.append(try Hook(hook)) }
        guard tables.count > Self.hookLimit else { return }
        let next = tables[Self.hookLimit]
        throw next.error(at: next.item, "one too many", "expected at most \(Self.hookLimit) tables")
    }
}

extension NotificationSettings {
    /// What to say of a command that tells no program and no webhook, or `nil` if the user has none.
    func objection(to command: String) -> String? {
        hooks.isEmpty
            ? nil
            : "\(command) runs none of the [[on]] in config.toml: watch, proxy and serve do"
    }
}

extension NotificationSettings.TerminalWay {
    /// Returns how the terminal is told, or `nil` if it is not.
    ///
    /// Within tmux, only the terminal around it has notifications, and tmux has to let them through.
    func way(in environment: LiveEnvironment) async -> TerminalNotification? {
        let way: TerminalNotification? =
            switch self {
            case .auto: TerminalNotification(of: environment.variables)
            case .osc9: .osc9
            case .osc777: .osc777
            case .osc99: .osc99
            case .bell: .bell
            case .off: nil
            }
        guard let way, way != .bell, environment.variables["TMUX"]?.isEmpty == false else {
            return way
        }
        return await tmuxPassesThrough(in: environment) ? way : nil
    }

    /// Asks tmux for its option `allow-passthrough`, which versions before 3.3 do not have.
    private func tmuxPassesThrough(in environment: LiveEnvironment) async -> Bool {
        let tmux = ChildProgram(
            "tmux",
            variables: environment.variables,
            hasTerminal: false,
            outputLimit: 100,
            timeout: .seconds(1),
            time: environment.time
        )
        let result = try? await tmux?.runAside(["show-options", "-Apv", "allow-passthrough"])
        let answer = String(decoding: result?.output ?? [], as: UTF8.self)
        return answer.begins(with: "on") || answer.begins(with: "all")
    }
}
