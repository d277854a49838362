@testable import HTTP

/// A codec's reading of bytes: the complete items, and the failure that ended them.
struct Reading: Equatable {
    var incoming: [WebSocketIncoming] = []
    var failure: WebSocketFailure?
    /// Bytes read when it failed, or all of them.
    var used = 0

    /// Reads `bytes` in pieces.
    init(
        _ bytes: [UInt8],
        pieces: Int = .max,
        expectsMask: Bool = false,
        limits: WebSocketLimits = WebSocketLimits(),
        compression: AgreedCompression? = nil
    ) {
        var codec = WebSocketCodec(
            expectsMask: expectsMask,
            limits: limits,
            compression: compression
        )
        while used < bytes.count {
            let piece = Array(bytes[used...].prefix(pieces))
            var offset = 0
            do throws(WebSocketFailure) {
                while let next = try codec.next(in: piece.span, from: &offset) {
                    incoming.append(next)
                }
                used += piece.count
            } catch {
                failure = error
                used += offset
                return
            }
        }
    }
}

/// A frame with everything that can be wrong with it.
func frame(
    _ opcode: UInt8,
    _ payload: [UInt8] = [],
    final isFinal: Bool = true,
    reserved: UInt8 = 0,
    mask: UInt32? = nil
) -> [UInt8] {
    var bytes = FrameWriter.bytes(.text, payload, mask: mask.map(MaskingKey.init))
    bytes[0] = (isFinal ? 0x80 : 0) | reserved << 4 | opcode
    return bytes
}

extension String {
    var bytes: [UInt8] { Array(utf8) }
}
