/// The edit of a key in a form.
package enum FormEdit: Sendable, Hashable {
    /// Moves the focus by a number of fields.
    case move(Int)
    case write(Character)
    case erase
    case eraseAll

    /// Longer pasted texts are cut, in characters.
    static let pasteLimit = 4_096
}

extension String {
    /// Changes a text that is written in one line.
    mutating func apply(_ edit: FormEdit) {
        switch edit {
        case .move: break
        case .write(let character): append(character)
        case .erase: _ = popLast()
        case .eraseAll: self = ""
        }
    }
}

/// A form whose focused field is edited.
protocol EditableForm {
    /// The limit of a field, in bytes.
    static var sizeLimit: Int { get }

    /// Moves the focus by a number of fields, from the last to the first.
    mutating func move(by steps: Int)
    /// Changes the text of the focused field.
    mutating func change(_ body: (inout String) -> Void)
}

extension EditableForm {
    mutating func apply(_ edit: FormEdit) {
        switch edit {
        case .move(let steps): move(by: steps)
        case .write(let character):
            change { text in
                guard text.utf8.count + character.utf8.count <= Self.sizeLimit else { return }
                text.append(character)
            }
        case .erase: change { _ = $0.popLast() }
        case .eraseAll: change { $0 = "" }
        }
    }
}
