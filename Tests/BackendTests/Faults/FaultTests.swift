import Basics
import Profiles
import Testing

@testable import Backend
@testable import Model

@Suite("Backend: what each fault does to an exchange")
struct FaultTests {
    private let backend = Bench()
    private let policy = BackendPolicy.testing()

    @Test(
        "what comes before the backend leaves the token unspent",
        arguments: [
            Fault.dropRequest, .webPage, .rateLimit, .serverError, .bareRefusal, .notFound,
        ]
    )
    func before(fault: Fault) throws {
        let facts = try backend.login(in: policy)
        _ = backend.exchange(.refresh(facts.refresh), in: policy, under: fault)
        #expect(backend.state().sessions[0].spent == 0)
        #expect(backend.state().sessions[0].generation == 1)
    }

    @Test(
        "what comes after it leaves the token spent",
        arguments: [
            Fault.dropAfterCommit, .truncatedBody, .errorAfterCommit, .errorWithTokens,
            .missingRefreshToken, .skewedDate, .delay, .earlyRevocation,
        ]
    )
    func after(fault: Fault) throws {
        let facts = try backend.login(in: policy)
        _ = backend.exchange(.refresh(facts.refresh), in: policy, under: fault)
        #expect(backend.state().sessions[0].spent == 1)
    }

    @Test(
        "the answer has the status that the fault is known for",
        arguments: [
            (Fault.rateLimit, [429]), (.serverError, [500, 502, 503]), (.bareRefusal, [401]),
            (.errorAfterCommit, [502, 504]), (.webPage, [200]), (.notFound, [404]),
            (.serverError.set(to: 503), [503]), (.errorAfterCommit.set(to: 599), [599]),
            (.errorWithTokens, [500, 503]), (.errorWithTokens.set(to: 502), [502]),
        ]
    )
    func status(fault: Fault, statuses: [Int]) throws {
        let facts = try backend.login(in: policy)
        let exchange = backend.exchange(.refresh(facts.refresh), in: policy, under: fault)
        #expect(statuses.contains(try #require(exchange.response?.status)))
        #expect(exchange.delivery == .whole)
    }

    @Test("a lost request and a lost answer look the same", arguments: [true, false])
    func lost(isCommitted: Bool) throws {
        let fault = isCommitted ? Fault.dropAfterCommit : .dropRequest
        let facts = try backend.login(in: policy)
        let exchange = backend.exchange(.refresh(facts.refresh), in: policy, under: fault)
        #expect(exchange.delivery == .dropped)
    }

    @Test("numbers that were given take the place of drawn ones")
    func parameters() throws {
        let facts = try backend.login(in: policy)
        let ask = RecognizedRequest.protected(facts.access)
        let late = backend.exchange(ask, in: policy, under: .delay.set(to: 7))
        #expect(late.delayBefore + late.delayAfter == 7)
        let skewed = backend.exchange(ask, in: policy, under: .skewedDate.set(to: -90))
        #expect(skewed.clockSkew == -90)
        let limited = backend.exchange(ask, in: policy, under: .rateLimit.set(to: 12))
        #expect(limited.response?.header("Retry-After") == "12")
        let same = backend.exchange(ask, in: policy, under: .dropRequest.set(to: 12))
        #expect(same.delivery == .dropped)
    }

    @Test("an early revocation answers truly, and the next use is refused")
    func revocation() throws {
        let facts = try backend.login(in: policy)
        let exchange = backend.exchange(
            .refresh(facts.refresh),
            in: policy,
            under: .earlyRevocation
        )
        guard case .refreshIssued(let next)? = exchange.answer else { throw Unexpected() }
        #expect(!backend.opens(next.access, in: policy))
        #expect(backend.refresh(next.refresh, in: policy) == .refused(.revoked))
        #expect(backend.state().sessions[0].ended == "revoked")
    }

    @Test("a refresh token that is left out was issued, and is known to no client")
    func leftOut() throws {
        let facts = try backend.login(in: policy)
        let exchange = backend.exchange(
            .refresh(facts.refresh),
            in: policy,
            under: .missingRefreshToken
        )
        guard case .refreshIssued(let next)? = exchange.answer else { throw Unexpected() }
        #expect(next.refresh == nil)
        #expect(backend.opens(next.access, in: policy))
        #expect(backend.refresh(facts.refresh, in: policy) == .refused(.spent))
    }

    @Test("a live access token is refused, and lives on")
    func unauthorized() throws {
        let facts = try backend.login(in: policy)
        let exchange = backend.exchange(
            .protected(facts.access),
            in: policy,
            under: .unauthorized
        )
        #expect(exchange.answer == .unauthorized(.expired))
        #expect(backend.opens(facts.access, in: policy))
    }

    @Test("equal seeds draw equal faults", arguments: Fault.ofExchanges.map(\.name))
    func replay(name: String) throws {
        let fault = try #require(Fault.ofExchanges.first { $0.name == name })
        let runs = try [1, 2].map { _ in
            let backend = Bench()
            let facts = try backend.login(in: policy)
            return backend.exchange(.refresh(facts.refresh), in: policy, under: fault)
        }
        #expect(runs[0].response == runs[1].response)
        #expect(runs[0].delivery == runs[1].delivery)
        #expect(runs[0].delayBefore == runs[1].delayBefore)
        #expect(runs[0].clockSkew == runs[1].clockSkew)
    }

    @Test("a truncated body is shorter than the whole")
    func truncated() throws {
        let facts = try backend.login(in: policy)
        var random = SeededGenerator(seed: 1)
        var exchange = BackendExchange(dialect: "acme", request: .refresh(facts.refresh))
        exchange.response = WireResponse(status: 200, headers: [], body: Array("0123456789".utf8))
        Fault.truncatedBody.act(written: &exchange, drawing: &random)
        guard case .cut(let count) = exchange.delivery else { throw Unexpected() }
        #expect((0..<10).contains(count))
    }
}
