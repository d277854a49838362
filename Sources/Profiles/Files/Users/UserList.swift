package import Basics

/// The users of one profile, who have a session each: a table for each in a file of
/// TOML, with the credentials of their login.
///
///     [alice]
///     username = "alice@example.com"
///     password_command = ["pass", "show", "alice"]
package struct UserList: Sendable {
    /// One user.
    package struct User: Sendable {
        /// The name of the session.
        package let name: String
        /// The line of the table.
        package let line: Int
        /// The credentials in the file, by name.
        package let values: [String: Secret]
        /// The commands that print the others, by the names of the credentials.
        package let commands: [String: [String]]
    }

    /// The size of the largest file, in bytes.
    package static let sizeLimit = 16 << 20
    /// The largest number of users.
    package static let countLimit = 50_000
    /// The longest name, in Unicode scalars.
    static let nameLimit = 64

    /// The users in the order of the file.
    package let users: [User]

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - text: The contents of the file.
    ///   - file: The name of the file in errors.
    ///   - credentials: The names of the credentials of a login.
    ///   - given: Those among them that each user has from elsewhere.
    /// - Throws: `DialectError` with the line and the key of the first mistake.
    package init(
        _ text: String,
        file: String,
        credentials: [String],
        given: Set<String> = []
    ) throws(DialectError) {
        let root = try Self.root(of: text, file: file)
        guard case .table(let members) = root.value else { throw Self.none(in: root) }
        var users: [User] = []
        for item in members.values.sorted(by: { $0.line < $1.line }) {
            users.append(try Self.user(item, credentials: credentials, given: given))
        }
        guard !users.isEmpty else { throw Self.none(in: root) }
        guard users.count <= Self.countLimit else {
            let found = "\(users.count) users"
            throw DialectError(file: file, found: found, expected: "at most \(Self.countLimit)")
        }
        self.users = users
    }

    private static func root(of text: String, file: String) throws(DialectError) -> TOMLItem {
        do throws(TOMLError) {
            return try TOMLReader.read(text, file: file, limit: sizeLimit)
        } catch {
            guard case .unknownValue = error.problem else { throw DialectError(error) }
            // It may be a secret without its quotes, which is not shown.
            throw DialectError(
                file: file,
                line: error.line,
                found: "not TOML: not a value",
                expected: expectedText
            )
        }
    }

    private static let expectedText = "expected text in quotes"

    private static func none(in root: TOMLItem) -> DialectError {
        DialectError(
            file: root.file,
            found: "no user",
            expected: "expected a table for each, such as [alice]"
        )
    }

    private static func user(
        _ item: TOMLItem,
        credentials: [String],
        given: Set<String>
    ) throws(DialectError) -> User {
        let table = try SchemaTable(item, keys: credentials + credentials.map(Profile.commandKey))
        guard isName(item.key) else {
            throw table.error(
                at: item,
                "not a name for a session",
                "expected 1 to \(nameLimit) visible characters without a space at the ends"
            )
        }
        var values: [String: Secret] = [:]
        var commands: [String: [String]] = [:]
        for name in credentials {
            let key = Profile.commandKey(of: name)
            if let value = table.item(name) {
                // What stands there may be a secret, and is not shown.
                guard case .string = value.value else {
                    throw table.error(at: name, "not text", expectedText)
                }
            }
            values[name] = try table.string(name).map(Secret.init)
            commands[name] = try Profile.command(key, in: table)
            guard values[name] == nil || commands[name] == nil else {
                throw table.error(at: key, "\(name) is there, too", "expected one of them")
            }
            if values[name]?.isEmpty == true { throw table.error(at: name, "empty") }
        }
        // Without any, only a session that is stored can be resumed.
        let isEmpty = values.isEmpty && commands.isEmpty
        for name in credentials where !isEmpty && values[name] == nil && commands[name] == nil {
            guard given.contains(name) else { throw table.missing(name) }
        }
        return User(name: item.key, line: item.line, values: values, commands: commands)
    }

    private static func isName(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return (1...nameLimit).contains(scalars.count) && !scalars.contains(where: \.isUnseen)
            && !text.begins(with: " ") && !text.ends(with: " ")
    }
}
