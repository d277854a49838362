import Client
import Glibc
import Model

extension VaultProblem {
    /// Returns the problem for a failed system call, with its cause and the next step.
    ///
    /// - Parameters:
    ///   - verb: The operation, such as `write`.
    ///   - path: The file or folder.
    ///   - code: `errno`.
    /// - Returns: The problem, with its message.
    static func cannot(_ verb: String, _ path: String, _ code: Int32) -> VaultProblem {
        let reason = String(cString: strerror(code))
        let advice: String? =
            switch code {
            case ENOSPC, EDQUOT: "make room on the disk"
            case EROFS: "mount it writable, or set XDG_STATE_HOME to another folder"
            case EACCES, EPERM: "make sure that it is yours and writable"
            case ELOOP: "symbolic links are not followed: put the file itself there"
            case ENOTDIR: "expected a folder there; symbolic links are not followed"
            default: nil
            }
        let isFull = code == ENOSPC || code == EDQUOT
        return VaultProblem(
            isFull ? .full : .unusable,
            message: "cannot \(verb) \(path): \(reason)" + (advice.map { "; \($0)" } ?? "")
        )
    }
}
