import Profiles
import Testing

/// A profile with one mistake, and all that is said about it.
struct ProfileMistake: Sendable, CustomTestStringConvertible {
    var text: String
    var message: String
    /// The files that it may extend besides the built-in dialects, by name.
    var files: [String: String]

    init(_ text: String, _ message: String, files: [String: String] = [:]) {
        self.text = text
        self.message = message
        self.files = files
    }

    var testDescription: String { message }
}
