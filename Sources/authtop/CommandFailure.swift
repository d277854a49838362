/// Why a command ends without having done what was asked, in one line, with its exit code.
struct CommandFailure: Error {
    enum Exit: Int32 {
        /// What was asked about is not so: the session ended, the credentials are refused.
        case notSo = 1
        case badInput = 2
        case unreachable = 3
    }

    let exit: Exit
    let message: String

    init(_ exit: Exit, _ message: String) {
        self.exit = exit
        self.message = message
    }
}
