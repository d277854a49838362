import FoundationEssentials

@testable import Basics
@testable import Client
@testable import Model
@testable import Observer
@testable import Profiles

/// A conversation of an app and a backend, after a login that has brought known tokens.
///
/// The input is a list of exchanges between U+001E, each a request, U+001F and a response in the
/// format of the golden files.
enum TrafficTarget: FuzzTarget {
    static let name = "traffic"

    private static let access = "the-access-token-of-the-app-0123456789"
    private static let refresh = "the-refresh-token-of-the-app-9876543210"
    private static let exchangeLimit = 16

    static func read(_ bytes: [UInt8]) {
        var observer = Observer()
        observer.see(
            "POST /login\nContent-Type: application/json\n\n{\"password\":\"correct\"}",
            "HTTP/1.1 200\nContent-Type: application/json\n\n"
                + "{\"access_token\":\"\(access)\",\"refresh_token\":\"\(refresh)\"}"
        )
        observer.see("GET /items\nAuthorization: Bearer \(access)\n\n", "HTTP/1.1 200\n\n")
        for exchange in bytes.split(separator: 0x1E).prefix(exchangeLimit) {
            let halves = exchange.split(
                separator: 0x1F,
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            observer.see(MessageText(halves[0]), MessageText(halves.count > 1 ? halves[1] : []))
        }
        observer.end()
    }

    private struct Observer {
        private var reader = TrafficReader(
            fingerprinter: Fingerprinter(salt: Array(repeating: 7, count: 16))
        )
        private var machine = ObservationMachine(
            ObservationMachine.Configuration(
                profile: "app",
                baseURL: "https://api.example.com",
                origins: ["https://api.example.com"]
            )
        )
        private var number = 0

        private var moment: Moment {
            Moment(
                now: .origin.advanced(bySeconds: Double(number) * 20),
                wall: Date(timeIntervalSince1970: 1_767_707_320 + Double(number) * 20)
            )
        }

        mutating func see(_ request: String, _ response: String) {
            see(MessageText(Array(request.utf8)[...]), MessageText(Array(response.utf8)[...]))
        }

        mutating func see(_ request: MessageText, _ response: MessageText) {
            number += 1
            let words = request.start.split(separator: " ").map(String.init)
            let head = WireRequest(
                method: words.first ?? "GET",
                origin: "https://api.example.com",
                target: words.dropFirst().first ?? "/",
                headers: request.headers
            )
            let status = response.status
            take(.requestHead(head, connection: 1, peer: "127.0.0.1"))
            take(.requestBody(request.body))
            take(.requestEnd(bytes: request.body.count))
            take(.responseHead(WireResponse(status: status, headers: response.headers)))
            guard status != 101 else {
                take(.socketOpened)
                let message = SocketMessage(
                    from: .backend,
                    isText: true,
                    payload: response.body,
                    bytes: response.body.count
                )
                take(.socketMessage(message))
                return
            }
            take(.responseBody(response.body))
            take(.responseEnd(bytes: response.body.count))
            take(.delivered(whole: true))
        }

        private mutating func take(_ kind: TrafficInput.Kind) {
            let inputs = reader.read(TrafficInput(exchange: number, kind: kind), at: moment)
            for input in inputs { take(input) }
        }

        private mutating func take(_ input: ObservationInput) {
            let text = (try? JSONEncoder().encode(input)).map {
                String(decoding: $0, as: UTF8.self)
            }
            require(text != nil, "what was seen can be recorded")
            // The names in a request are the app's own, and so are its paths.
            let isOfApp = if case .requested = input.kind { true } else { false }
            for token in [access, refresh] {
                require(isOfApp || text?.contains(token) == false, "no secret is passed on")
            }
            for event in machine.handle(input, at: moment) {
                guard let record = event.kind as? Exchange else { continue }
                requireOneLine(record.target, limit: 16_384)
            }
        }

        /// Lets time pass, which may bring findings.
        mutating func end() {
            number += 100
            take(ObservationInput(exchange: 0, kind: .tick))
            for finding in machine.findings {
                require(!finding.evidence.isEmpty, "a finding has evidence")
                for token in [access, refresh] {
                    require(!finding.message.contains(token), "no secret is in a finding")
                }
            }
        }
    }
}
