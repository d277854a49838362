package import Basics
package import Model
package import Profiles

/// The outcome of a custom request.
package struct CustomResponse: Sendable {
    package var end: RequestEnd
    /// The last response, or `nil` if there was none.
    package var response: WireResponse?
    /// The number of requests that were sent, each of which is in the log.
    var exchanges: Int
    /// The secrets to hide when the response is shown.
    package var secrets: KnownSecrets
}

/// The exchanges of a custom request whose response a caller waits for.
struct CustomExchanges: Sendable {
    var response: WireResponse?
    var count = 0
}

extension SessionStore {
    /// Sends a custom request, at most twice, and returns its response.
    package func ask(_ request: CustomRequest, why: RequestCause) async -> CustomResponse {
        customExchanges[request] = CustomExchanges()
        let end = await send(.custom(request), why: why)
        let exchanges = customExchanges.removeValue(forKey: request) ?? CustomExchanges()
        return CustomResponse(
            end: end,
            response: exchanges.response,
            exchanges: exchanges.count,
            secrets: secrets
        )
    }

    func exchangeCustom(
        _ custom: CustomRequest,
        _ token: AccessToken,
        isRetry: Bool
    ) async -> CompletedExchange<ProtectedResponse> {
        customExchanges[custom]?.count += 1
        let request: WireRequest
        do throws(CustomRequestProblem) {
            request = try dialect.request(
                custom,
                token: token,
                captured: captured,
                isRetry: isRetry
            )
        } catch {
            return unsent(
                .unusableRequest(detail: error.message),
                method: custom.method,
                target: custom.target
            )
        }
        let (exchange, response) = await exchangeCapturing(request) {
            [dialect = sharedDialect] answer, _ in
            dialect.value.decideProtected(answer)
        }
        if let response { customExchanges[custom]?.response = response }
        return exchange
    }
}
