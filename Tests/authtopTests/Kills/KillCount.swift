import Foundation

/// The number of times that programs are killed, and their kinds.
enum KillCount {
    private static let variables = ProcessInfo.processInfo.environment
    /// `AUTHTOP_KILLS`, for more of them by hand.
    private static let chosen = variables["AUTHTOP_KILLS"].flatMap { Int($0) }
    /// At each point of a refresh.
    static let ofRefreshes = chosen ?? 5
    /// At each point of what needs several programs each time.
    static let ofOthers = chosen ?? 3
    /// At random moments, under each reuse policy.
    static let atRandom = chosen ?? 8
    /// Sessions that are killed side by side, each with a vault of its own.
    static let lanes = min(5, ofRefreshes)

    /// `AUTHTOP_KILL_GUIDES`, with commas between, for other dialects by hand.
    static let guides =
        variables["AUTHTOP_KILL_GUIDES"]?.split(separator: ",")
        .compactMap { Guide(rawValue: String($0)) } ?? [.intellipost]
}
