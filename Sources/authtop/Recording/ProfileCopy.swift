import Glibc
import Observer
import UI

/// A learned profile that is written from the dashboard, to a new file in the working folder.
struct ProfileCopy: Sendable {
    let traffic: ObservedTraffic
    let baseURL: String
    /// The time in the name of the file.
    let stamp: String

    /// Writes the file, and returns a notice for the user.
    func write() -> DashboardMessage {
        guard let profile = LearnedProfile(of: traffic, at: baseURL) else {
            return .notice("not written: no login and no renewal was seen yet", isWarning: true)
        }
        let path = "./authtop-\(stamp).toml"
        do {
            try PrivateFile(path: path).create(profile.text)
        } catch {
            return .notice("not written: \(error.message)", isWarning: true)
        }
        let gaps = profile.missing.joined(separator: ", ")
        return .notice("wrote \(path)" + (gaps.isEmpty ? "" : ": \(gaps) was seen"))
    }
}
