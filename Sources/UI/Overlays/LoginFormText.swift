import Basics
import Model

/// The form as it is read: a secret is as many bullets as it has characters.
struct LoginFormText {
    /// Columns of a value; of a longer one the end is seen, where it is being written.
    private static let room = 34

    let form: LoginForm
    let viewModel: ViewModel

    var document: Document {
        let dialect = viewModel.session.capabilities?.dialect ?? viewModel.session.profile
        var document = Document(title: "Log in to \(dialect)")
        document.indent = 0
        if let failure = viewModel.session.loginFailure {
            document.add(Line("the last login failed: \(FailureText.full(failure))", .warning))
            document.add(Line())
        }
        let width = (form.entries.map(\.field.label.count).max() ?? 0) + 2
        for (index, entry) in form.entries.enumerated() {
            let isFocused = index == form.focus
            let name = FormRow.name(entry.field.label, isFocused: isFocused, width: width)
            document.add(name + Self.value(of: entry, isFocused: isFocused))
        }
        document.add(Line())
        document.add(Line("kept in memory, sent to the backend and nowhere else", .dim))
        return document
    }

    private static func value(of entry: LoginForm.Entry, isFocused: Bool) -> Line {
        let cursor = isFocused ? FormRow.cursor : Line()
        guard entry.typed.isEmpty else { return shown(entry) + cursor }
        let origin = entry.field.origin.map { Line($0, .dim) } ?? Line("missing", .warning)
        return isFocused ? cursor + Line(" ") + origin : origin
    }

    private static func shown(_ entry: LoginForm.Entry) -> Line {
        let text = entry.typed.reveal()
        let count = text.count
        guard entry.field.isSecret else {
            return FormRow.end(of: text, room: room)
        }
        return FormRow.bullets(count, room: room)
    }
}
