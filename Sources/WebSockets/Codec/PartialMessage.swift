/// A message of which more may come: text is checked as it arrives.
struct PartialMessage: Sendable {
    private(set) var bytes: [UInt8] = []
    /// `nil` for a binary message.
    private var text: UTF8Validator?

    init(isText: Bool) {
        text = isText ? UTF8Validator() : nil
    }

    mutating func append(
        _ piece: Span<UInt8>,
        mask: MaskingKey?,
        position: Int
    ) throws(WebSocketFailure) {
        let start = bytes.count
        piece.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        mask?.apply(to: &bytes, from: start, position: position)
        guard var text else { return }
        let isValid = text.accepts(bytes.span.extracting(start...))
        self.text = text
        guard isValid else { throw .invalidText("text is not UTF-8") }
    }

    func finished() throws(WebSocketFailure) -> WebSocketIncoming {
        guard let text else { return .binary(bytes) }
        guard text.isComplete else { throw .invalidText("text ends inside a character") }
        return .text(String(decoding: bytes, as: UTF8.self))
    }
}
