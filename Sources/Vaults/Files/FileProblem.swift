import Glibc
import Lifecycle

extension VaultProblem {
    /// What a call of the system refused, and what a person can do about it.
    ///
    /// - Parameters:
    ///   - verb: Such as `write`.
    ///   - path: The file or folder.
    ///   - code: `errno`.
    /// - Returns: The problem as text.
    static func cannot(_ verb: String, _ path: String, _ code: Int32) -> VaultProblem {
        let reason = String(cString: strerror(code))
        let advice: String? =
            switch code {
            case ENOSPC, EDQUOT: "make room on the disk"
            case EROFS: "mount it writable, or set XDG_STATE_HOME to another folder"
            case EACCES, EPERM: "it must be yours, and writable"
            case ELOOP: "links are not followed: put the file itself there"
            case ENOTDIR: "a folder is wanted there, and links are not followed"
            default: nil
            }
        let isFull = code == ENOSPC || code == EDQUOT
        return VaultProblem(
            isFull ? .full : .unusable,
            message: "cannot \(verb) \(path): \(reason)" + (advice.map { "; \($0)" } ?? "")
        )
    }
}
