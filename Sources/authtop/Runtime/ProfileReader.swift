import Basics
import Client
import Model
import Profiles

/// The files that a session's profile was read from, to be read again when they are edited.
struct ProfileReader: Sendable {
    /// The profile as the user named it: a name, or the path of a file.
    let name: String
    /// The authorities to trust in addition to the system's, for the metadata of an issuer.
    let caFile: String?
    /// The profile that is in use.
    var profile: Profile

    /// The profile's own file, or `nil` if it is a part of the program.
    func ownFile(in environment: LiveEnvironment) -> String? {
        if name.has("/") || name.ends(with: ".toml") { return name }
        return environment.catalogue.entries.first { $0.name == name }?.file
    }

    /// The folders in which a change can be one of the profile.
    func folders(in environment: LiveEnvironment) -> Set<String> {
        let own = ownFile(in: environment).map { file in
            let parts = file.parts(at: "/", keepsEmpty: true).dropLast()
            return parts.isEmpty ? "." : parts.joined(separator: "/")
        }
        let configuration = try? environment.catalogue.configurationFolder.get()
        return Set([own, configuration, configuration.map { "\($0)/profiles" }].compactMap(\.self))
    }

    /// Reads the files again.
    ///
    /// - Returns: The effect on the session.
    /// - Throws: `CommandFailure` with the file, the line and the key of a mistake.
    mutating func readAgain(in environment: LiveEnvironment) async throws -> ProfileEdit {
        let edited = try await environment.profile(named: name, caFile: caFile)
        let edit = ProfileEdit(of: profile, to: edited)
        profile = edit.profile
        return edit
    }
}

extension SessionRun {
    /// The sessions of each profile that can be edited.
    var editable: [[WatchedSession]] {
        let sessions = sessions.filter { $0.plan.source != nil }
        return Array(Dictionary(grouping: sessions) { $0.plan.source?.name }.values)
    }

    /// Takes over what the user edits in the files of a profile, until the calling task is cancelled.
    ///
    /// A mistake changes nothing, and is told once.
    ///
    /// - Parameters:
    ///   - sessions: All sessions of the profile.
    ///   - output: Told what has changed, and what has not.
    func followEdits(of sessions: [WatchedSession], on output: some RunOutput) async {
        guard let first = sessions.first, var reader = first.plan.source else { return }
        let id = sessions.count == 1 ? first.id.description : first.plan.profile
        let folders = reader.folders(in: environment)
        var told: String?
        await FileEdits(in: folders, time: environment.time).follow {
            do {
                let edit = try await reader.readAgain(in: environment)
                if !edit.adopted.isEmpty {
                    for session in sessions { await session.store.adopt(edit.profile.dialect) }
                }
                let text = Self.text(edit)
                defer { told = text }
                guard let text, text != told || !edit.adopted.isEmpty else { return }
                output.tell("\(id): \(text)", isWarning: !edit.postponed.isEmpty)
            } catch {
                let text = "not changed: \((error as? CommandFailure)?.message ?? "\(error)")"
                if text != told { output.tell("\(id): \(text)", isWarning: true) }
                told = text
            }
        }
    }

    /// What an edit has changed, and what it has not yet, or `nil` if it has changed nothing.
    private static func text(_ edit: ProfileEdit) -> String? {
        let adopted = edit.adopted.joined(separator: ", ")
        let postponed = edit.postponed.joined(separator: ", ")
        if edit.isEmpty { return nil }
        if edit.postponed.isEmpty { return "the profile was edited: \(adopted)" }
        let rest = "a change of \(postponed) needs a new start"
        return edit.adopted.isEmpty ? rest : "the profile was edited: \(adopted); \(rest)"
    }
}

extension RunOutput {
    fileprivate func tell(_ message: String, isWarning: Bool) {
        if isWarning { warn(message) } else { notify(message) }
    }
}
