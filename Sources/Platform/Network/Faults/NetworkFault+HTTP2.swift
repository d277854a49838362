import HTTP
import NIOHPACK
import NIOHTTP2

extension NetworkFault {
    static func isOfHTTP2(_ error: any Error) -> Bool {
        error is NIOHTTP2Errors.StreamError || error is any NIOHTTP2Error
            || error is any NIOHPACKError
    }

    /// Creates a fault from an error of HTTP/2, on a stream or on the connection that carries it.
    ///
    /// - Parameters:
    ///   - error: An error of NIOHTTP2.
    ///   - code: The error code that the client ends the connection with, if it does.
    init(http2 error: any Error, code: HTTP2ErrorCode? = nil) {
        switch error {
        case let error as NIOHTTP2Errors.StreamError:
            self.init(http2: error.baseError, code: code)
        case let error as NIOHTTP2Errors.StreamClosed where error.errorCode == .refusedStream:
            self = .streamRefused
        case is NIOHTTP2Errors.CreatedStreamAfterGoaway: self = .streamRefused
        case let error as NIOHTTP2Errors.StreamClosed: self = .streamEnded(error.errorCode.name)
        case is NIOHTTP2Errors.IOOnClosedConnection: self = .closed
        case is NIOHTTP2Errors.ExcessivelyLargeHeaderBlock,
            is NIOHPACKErrors.MaxHeaderListSizeViolation:
            self = .badResponse(.headOver(HPACKDecoder.defaultMaxHeaderListSize))
        default: self = .badHTTP2(HTTP2Violation(error, code: code))
        }
    }
}

extension HTTP2ErrorCode {
    /// The name of the code (RFC 9113, section 7).
    var name: String {
        switch self {
        case .noError: "NO_ERROR"
        case .protocolError: "PROTOCOL_ERROR"
        case .internalError: "INTERNAL_ERROR"
        case .flowControlError: "FLOW_CONTROL_ERROR"
        case .settingsTimeout: "SETTINGS_TIMEOUT"
        case .streamClosed: "STREAM_CLOSED"
        case .frameSizeError: "FRAME_SIZE_ERROR"
        case .refusedStream: "REFUSED_STREAM"
        case .cancel: "CANCEL"
        case .compressionError: "COMPRESSION_ERROR"
        case .connectError: "CONNECT_ERROR"
        case .enhanceYourCalm: "ENHANCE_YOUR_CALM"
        case .inadequateSecurity: "INADEQUATE_SECURITY"
        case .http11Required: "HTTP_1_1_REQUIRED"
        default: "code \(networkCode)"
        }
    }
}
