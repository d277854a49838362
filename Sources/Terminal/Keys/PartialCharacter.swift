/// The bytes of one UTF-8 character as they arrive; what is not UTF-8 is dropped.
struct PartialCharacter: Sendable {
    private var bytes: [UInt8] = []

    /// - Returns: The character that this byte completes, unless it is a control character.
    mutating func append(_ byte: UInt8) -> Unicode.Scalar? {
        if !UTF8.isContinuation(byte) { bytes = [] }
        bytes.append(byte)
        var decoder = UTF8()
        var input = bytes.makeIterator()
        guard bytes.count == length, case .scalarValue(let scalar) = decoder.decode(&input) else {
            if bytes.count >= length { bytes = [] }
            return nil
        }
        bytes = []
        return scalar.properties.generalCategory == .control ? nil : scalar
    }

    /// Bytes that the first one announces.
    private var length: Int {
        switch bytes.first ?? 0 {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }
}
