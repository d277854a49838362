import Basics

/// A mistake that is found in a built-in dialect, because the user's own file changes what that
/// relies on.
struct MergeMistake {
    private let chain: ProfileChain
    private let parse: (TOMLItem) throws(DialectError) -> Void

    /// - Parameters:
    ///   - chain: The files.
    ///   - parse: Parses their merged contents, or what is left of those.
    init(_ chain: ProfileChain, parse: @escaping (TOMLItem) throws(DialectError) -> Void) {
        self.chain = chain
        self.parse = parse
    }

    /// Returns the error at the key of the user's file without which there would be none, or at the
    /// file as a whole if none of its keys is at fault: something is missing in it.
    func explained(_ error: DialectError) -> DialectError {
        guard chain.builtInFiles.contains(error.file) else { return error }
        let origin = [error.file, error.key].compactMap(\.self).joined(separator: ": ")
        let found = "\(error.found) (in the built-in \(origin))"
        guard let item = culprit(of: error) else {
            return DialectError(
                file: chain.files[0],
                key: error.key,
                found: found,
                expected: error.expected ?? error.key.map { "expected \($0) in this file" }
            )
        }
        return DialectError(
            file: item.file,
            line: item.line,
            key: item.path,
            found: found,
            expected: error.expected
        )
    }

    /// Returns the value whose removal leaves no mistake, the one that the error speaks of first.
    private func culprit(of error: DialectError) -> TOMLItem? {
        let text = [error.found, error.expected, error.key].compactMap(\.self)
            .joined(separator: " ")
        let values = chain.ownValues.sorted { left, right in
            let isNamed = (text.contains(left.key), text.contains(right.key))
            return isNamed.0 == isNamed.1 ? left.line < right.line : isNamed.0
        }
        return values.first { value in
            guard let rest = chain.without(value) else { return false }
            do throws(DialectError) {
                try parse(rest)
                return true
            } catch {
                return false
            }
        }
    }
}
