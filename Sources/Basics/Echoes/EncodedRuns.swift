/// Decodes runs of base64 and hexadecimal characters in a text.
enum EncodedRuns {
    /// The number of digits below which a run is taken for an ordinary number.
    private static let shortestHexadecimal = 4

    /// Returns the decoded bytes of each run that decodes to text.
    static func decoded(in bytes: [UInt8]) -> [[UInt8]] {
        let runs = bytes.split { !isBase64($0) }
        let texts = runs.flatMap { run in
            [Base64URL.decodeEitherAlphabet(run), hexadecimal(run)].compactMap(\.self)
        }
        return texts.filter { String(validating: $0, as: UTF8.self) != nil }
    }

    /// Returns whether the text contains the word with no letter or digit on either side of it.
    static func holdsWord(_ word: UnsafeRawBufferPointer, in text: [UInt8]) -> Bool {
        guard let first = word.first, let last = word.last, word.count <= text.count else {
            return false
        }
        return (0...(text.count - word.count)).contains { start in
            let end = start + word.count
            return text[start] == first && text[start..<end].elementsEqual(word)
                && !(start > 0 && text[start - 1].isAlphanumeric && first.isAlphanumeric)
                && !(end < text.count && text[end].isAlphanumeric && last.isAlphanumeric)
        }
    }

    private static func hexadecimal(_ run: ArraySlice<UInt8>) -> [UInt8]? {
        guard run.count >= shortestHexadecimal, run.count % 2 == 0 else { return nil }
        let digits = run.compactMap { $0.hexDigitValue.map(Int.init) }
        guard digits.count == run.count else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "+/-_".utf8.contains(byte)
    }
}
