import Basics
import Glibc
import Profiles

/// The location of keys: a URL or a file.
struct KeySource {
    static let sizeLimit = 1024 * 1024

    let place: String

    /// Reads the keys.
    ///
    /// - Throws: `CommandFailure` if they cannot be read or are no keys.
    func keys(in environment: LiveEnvironment, caFile: String?) async throws -> SignatureCheck {
        let isURL = place.begins(with: "https://") || place.begins(with: "http://")
        let bytes = isURL ? try await fetched(environment, caFile) : try read()
        let check =
            if let json = JSONValue(parsing: bytes) {
                SignatureCheck(keys: json, acceptsSecrets: !isURL)
            } else {
                SignatureCheck(pem: String(decoding: bytes, as: UTF8.self))
            }
        guard let check else {
            throw CommandFailure(
                .badInput,
                "\(place): expected keys: a JWKS, a JWK, PEM, or certificates by kid"
            )
        }
        return check
    }

    private func fetched(_ environment: LiveEnvironment, _ caFile: String?) async throws -> [UInt8]
    {
        let answer = try await RemoteDocument(url: place, name: "--jwks \(place)")
            .fetch(in: environment, caFile: caFile)
        guard answer.status == 200 else {
            throw CommandFailure(.unreachable, "\(place): answered \(answer.status)")
        }
        return answer.body
    }

    private func read() throws -> [UInt8] {
        let descriptor = open(place, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(.badInput, "\(place): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= Self.sizeLimit {
            let count = Glibc.read(descriptor, &part, part.count)
            guard count > 0 else { break }
            bytes += part.prefix(count)
        }
        guard bytes.count <= Self.sizeLimit else {
            throw CommandFailure(.badInput, "\(place): over 1 MiB, expected keys")
        }
        return bytes
    }
}
