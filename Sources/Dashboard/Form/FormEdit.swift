/// What a key does in a form, whatever its fields are.
package enum FormEdit: Sendable, Hashable {
    /// To another field, so many further.
    case move(Int)
    case write(Character)
    case erase
    case eraseAll
}
