import Basics
import Dispatch
import FoundationEssentials
import Glibc
import Profiles
import Stores
import Synchronization
import UI

/// The dialects and profiles that the user can name: their own files, by path or by name in the
/// profiles' folder, and the built-in ones.
struct DialectCatalogue {
    /// An entry, which is read only when it is used.
    struct Entry {
        let name: String
        /// The file, or `nil` for a built-in dialect or a provider's profile.
        let file: String?

        /// Whether it is a provider's profile that is part of the program.
        var isProvider: Bool { file == nil && Profile.providerSources[name] != nil }
    }

    /// The folder `$XDG_CONFIG_HOME/authtop`, or a failure if no variable defines it, in which case
    /// there are only the built-in dialects.
    let configurationFolder: Result<String, CommandFailure>

    /// The folder of the user's own profiles.
    var folder: Result<String, CommandFailure> { configurationFolder.map { $0 + "/profiles" } }

    static var builtInNames: String {
        Dialect.builtInNames.joined(separator: ", ")
    }

    /// Fails if the sandbox has neither a dialect nor a provider of this name.
    static func checkServed(_ name: String) throws {
        guard Profile.providerSources[name] == nil else { return }
        _ = try builtIn(named: name)
    }

    static func builtIn(named name: String) throws -> Dialect {
        guard let dialect = Dialect.builtIn(named: name) else {
            throw CommandFailure(
                .badInput,
                "there is no dialect \"\(printable(name))\": expected one of \(builtInNames)"
            )
        }
        return dialect
    }

    /// All entries, the user's own files first, since they may replace a built-in dialect.
    var entries: [Entry] {
        let own = ownFiles.map { Entry(name: String($0.last.dropLast(5)), file: $0.path) }
        let names = Set(own.map(\.name))
        let builtIn = Dialect.builtInNames + Profile.providerSources.keys.sorted()
        return own
            + builtIn.filter { !names.contains($0) }.map { Entry(name: $0, file: nil) }
    }

    private var ownFiles: [(last: String, path: String)] {
        (try? folder.get()).map(Self.files) ?? []
    }

    /// The files of a folder that end in `.toml`, in alphabetical order.
    private static func files(in folder: String) -> [(last: String, path: String)] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            return []
        }
        return names.filter { $0.ends(with: ".toml") && !$0.begins(with: ".") }
            .sorted()
            .map { ($0, "\(folder)/\($0)") }
    }

    /// Returns the text of a file, by its path or by a name.
    func source(of name: String) throws -> ProfileSource {
        if name.has("/") || name.ends(with: ".toml") {
            return try Self.reporting { () throws(DialectError) in try read(name, named: name) }
        }
        guard let source = try Self.reporting({ () throws(DialectError) in try find(name) }) else {
            let names = entries.map(\.name)
            let nearest = NearestKey.of(name, among: names).map { "; did you mean \($0)?" } ?? ""
            throw CommandFailure(
                .badInput,
                "there is no profile \"\(Self.printable(name))\": expected one of "
                    + names.joined(separator: ", ") + place(of: name) + nearest
            )
        }
        return source
    }

    /// Returns the path of the file for a name.
    private func place(of name: String) -> String {
        switch folder {
        case .success(let folder): ", or \(folder)/\(Self.printable(name)).toml"
        case .failure(let failure): " (\(failure.message))"
        }
    }

    /// Returns a profile.
    ///
    /// - Parameters:
    ///   - name: The name of the profile, or a file.
    ///   - provider: The statements of its issuer; without them, the profile consists of its files
    ///     alone.
    /// - Returns: The profile.
    /// - Throws: `CommandFailure` with the file, the line and the cause.
    func profile(
        named name: String,
        filledBy provider: ProviderDescription? = nil
    ) throws -> Profile {
        let source = try source(of: name)
        var profile = try Self.reporting { () throws(DialectError) in
            try Profile(source, known: entries.map(\.name), provider: provider, lookup: find)
        }
        profile.dialect.extendedRecognition = try extendedRecognition()
        return profile
    }

    /// Returns what is recognized where no dialect says anything: what is part of the program, and what
    /// `recognition.toml` in the configuration folder adds to it.
    ///
    /// - Throws: `CommandFailure` with the file, the line and the key of a mistake.
    func recognition() throws -> Recognition { try extendedRecognition() ?? .builtIn }

    /// Returns the same, or `nil` if there is no such file.
    private func extendedRecognition() throws -> Recognition? {
        guard let folder = try? configurationFolder.get() else { return nil }
        let file = "\(folder)/\(Recognition.fileName)"
        guard access(file, F_OK) == 0 else { return nil }
        return try Self.recognition(in: file)
    }

    /// Reads a file with recognition.
    static func recognition(in file: String) throws -> Recognition {
        try reporting { () throws(DialectError) in
            let text = try FileTrust.text(ofFile: file, expected: "names to recognize")
            return try Recognition(adding: text, file: file)
        }
    }

    /// Returns the stores of sessions that the user's files in `stores/` of the configuration folder
    /// define.
    ///
    /// - Throws: `CommandFailure` with the file, the line and the key of a mistake.
    func stores() throws -> [StoreDefinition] {
        guard let folder = try? configurationFolder.get() else { return [] }
        let files = Self.files(in: "\(folder)/stores")
        let stores = Mutex<[Result<StoreDefinition, any Error>?]>(
            Array(repeating: nil, count: files.count)
        )
        // Of many, another processor reads every other one.
        let parts = files.count < Self.manyStores ? 1 : 2
        DispatchQueue.concurrentPerform(iterations: parts) { part in
            for index in stride(from: part, to: files.count, by: parts) {
                let store = Result { try Self.store(files[index].path, files[index].last) }
                stores.withLock { $0[index] = store }
            }
        }
        return try stores.withLock { $0 }.compactMap { try $0?.get() }
    }

    private static let manyStores = 32

    private static func store(_ path: String, _ last: String) throws -> StoreDefinition {
        try reporting { () throws(DialectError) in
            let text = try FileTrust.text(ofFile: path, expected: "a store of sessions")
            return try StoreDefinition(toml: text, file: path, name: String(last.dropLast(5)))
        }
    }

    /// Returns the themes that the user's files in `themes/` of the configuration folder define.
    ///
    /// - Throws: `CommandFailure` with the file, the line and the key of a mistake.
    func themes() throws -> [Theme] {
        guard let folder = try? configurationFolder.get() else { return [] }
        return try Self.files(in: "\(folder)/themes").map { file in
            try Self.reporting { () throws(DialectError) in
                let text = try FileTrust.text(ofFile: file.path, expected: "a theme")
                return try Theme(
                    toml: text,
                    file: file.path,
                    name: String(file.last.dropLast(5)),
                    extending: Theme.builtIn
                )
            }
        }
    }

    /// Returns the issuer whose metadata fills a profile, or `nil` if there is none.
    func issuer(of name: String) throws -> ProfileIssuer? {
        let source = try source(of: name)
        return try Self.reporting { () throws(DialectError) in
            try ProfileIssuer(of: source, known: entries.map(\.name), lookup: find)
        }
    }

    func dialect(named name: String) throws -> Dialect {
        try profile(named: name).dialect
    }

    /// Returns a file of the folder or a built-in dialect, or `nil` if there is none of that name.
    private func find(_ name: String) throws(DialectError) -> ProfileSource? {
        guard let entry = entries.first(where: { $0.name == name }) else { return nil }
        guard let file = entry.file else { return ProfileSource.builtIn(name) }
        if let folder = try? folder.get() { try check(folder) }
        return try read(file, named: name)
    }

    /// Fails if other users can write the folder, since they could replace a profile.
    private func check(_ folder: String) throws(DialectError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw DialectError(file: folder, found: "expected a readable folder")
        }
        defer { close(descriptor) }
        if let message = FileTrust.objection(
            to: descriptor,
            at: folder,
            .fromWriting,
            isFolder: true
        ) {
            throw DialectError(file: folder, found: message)
        }
    }

    /// Reads a dialect's file.
    private func read(
        _ path: String,
        named name: String
    ) throws(DialectError) -> ProfileSource {
        let text = try FileTrust.text(ofFile: path, expected: "a dialect")
        let last = name.parts(at: "/").last.map(String.init) ?? name
        let stem = last.ends(with: ".toml") ? String(last.dropLast(5)) : last
        return ProfileSource(name: stem, text: text, file: path)
    }

    private static func reporting<Value>(
        _ body: () throws(DialectError) -> Value
    ) throws -> Value {
        do throws(DialectError) {
            return try body()
        } catch {
            throw CommandFailure(.badInput, error.description)
        }
    }

    private static func printable(_ name: String) -> String {
        String(name.unicodeScalars.prefix(60).map { $0.value < 32 ? " " : Character($0) })
    }
}
