import Basics
import Profiles

/// A message of gRPC as JSON, so that it is read as any other body.
///
/// A message in protocol buffers has numbers in place of names (the wire format does not say more): its
/// texts are tokens if they come back as such, and nothing in it is a token by name.
enum GRPCMessage {
    private static let prefixLength = 5
    private static let depthLimit = 8
    private static let fieldLimit = 256

    /// Returns the first message of a body, or the whole body if it is none of gRPC.
    static func readable(_ body: [UInt8], _ headers: [WireHeader]) -> [UInt8] {
        let type = headers.first { $0.name.isEqualIgnoringCase("content-type") }?.value ?? ""
        guard type.asciiLowercased.begins(with: "application/grpc"), body.count >= prefixLength,
            // A message that is compressed is not read.
            body[0] == 0
        else { return body }
        let length = body[1..<prefixLength].reduce(0) { $0 << 8 | Int($1) }
        let message = body.dropFirst(prefixLength).prefix(length)
        guard let first = message.first else { return [] }
        if first == UInt8(ascii: "{") { return Array(message) }
        guard let json = object(in: message, depth: 0) else { return [] }
        return Array(json.serialized.utf8)
    }

    /// Reads fields up to the end, which a message that is cut off does not have.
    private static func object(in bytes: ArraySlice<UInt8>, depth: Int) -> JSONValue? {
        var rest = bytes
        var fields: [String: [JSONValue]] = [:]
        var count = 0
        while !rest.isEmpty {
            guard count < fieldLimit, let tag = varint(&rest), tag >> 3 > 0 else { return nil }
            count += 1
            var value: JSONValue?
            switch tag & 7 {
            case 0:
                guard let number = varint(&rest) else { return nil }
                value = .integer(Int64(truncatingIfNeeded: number))
            case 1, 5:
                let size = tag & 7 == 1 ? 8 : 4
                guard rest.count >= size else { return nil }
                rest = rest.dropFirst(size)
            case 2:
                guard let size = varint(&rest).flatMap({ Int(exactly: $0) }), size <= rest.count
                else { return nil }
                value = text(in: rest.prefix(size), depth: depth)
                rest = rest.dropFirst(size)
            default: return nil
            }
            if let value { fields[String(tag >> 3), default: []].append(value) }
        }
        return .object(fields.mapValues { $0.count == 1 ? $0[0] : .array($0) })
    }

    /// Reads a text, or else a message; the wire format does not tell one from the other.
    private static func text(in bytes: ArraySlice<UInt8>, depth: Int) -> JSONValue? {
        if bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
            let text = String(validating: bytes, as: UTF8.self)
        {
            return .string(text)
        }
        return depth < depthLimit ? object(in: bytes, depth: depth + 1) : nil
    }

    private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0, through: 63, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }
}
