import Basics
import Client
import Testing
import UI

@testable import Model

@Suite("Messages of OTLP")
struct OTLPMessageTests {
    private static let message = OTLPMessage(
        resource: ["service.name": "authtop", "env": "test"],
        version: "1.2.3"
    )

    @Test("logs have the lines of events, with their severity")
    func logs() throws {
        var account = Account()
        account.add(PairSaved(), SignedOut(.revoked))
        let json = Self.message.logs(account.events, causes: CauseText())
        let resource = try #require(json["resourceLogs"]?.first)
        #expect(
            resource["resource"]?.serialized
                == #"{"attributes":[{"key":"env","value":{"stringValue":"test"}},"#
                + #"{"key":"service.name","value":{"stringValue":"authtop"}}]}"#
        )
        let records = try #require(resource["scopeLogs"]?.first?["logRecords"]?.arrayValue)
        #expect(records.map { $0["severityNumber"] } == [.integer(9), .integer(17)])
        let line = EventLine.text(of: account.events[0], causes: CauseText())
        #expect(records[0]["body"]?["stringValue"] == .string(line))
        // Int64 is a text in JSON.
        #expect(records[0]["timeUnixNano"] == .string("1763734600000000000"))
    }

    @Test("spans have ids as hexadecimal digits, and links")
    func spans() throws {
        let context = TraceContext(
            trace: "0af7651916cd43dd8448eb211c80319c",
            span: "b7ad6b7169203331",
            isSampled: true
        )
        var span = Span(
            context,
            of: "00f067aa0ba902b7",
            "renewal",
            .inner,
            from: Account().now,
            to: Account().now
        )
        span.links = [context]
        span.attributes = [("a", .text("b")), ("n", .integer(3))]
        span.status = .error
        let json = Self.message.spans([span])
        let scope = try #require(json["resourceSpans"]?.first?["scopeSpans"]?.first)
        let found = try #require(scope["spans"]?.first)
        #expect(
            found.serialized
                == #"{"attributes":[{"key":"a","value":{"stringValue":"b"}},"#
                + #"{"key":"n","value":{"intValue":"3"}}],"endTimeUnixNano":"1763734600000000000","#
                + #""kind":1,"links":[{"spanId":"b7ad6b7169203331","traceId":"#
                + #""0af7651916cd43dd8448eb211c80319c"}],"name":"renewal","#
                + #""parentSpanId":"00f067aa0ba902b7","spanId":"b7ad6b7169203331","#
                + #""startTimeUnixNano":"1763734600000000000","status":{"code":2},"#
                + #""traceId":"0af7651916cd43dd8448eb211c80319c"}"#
        )
    }

    @Test("metrics have the values and labels that a monitor reads")
    func metrics() throws {
        var account = Account()
        account.logIn(life: 20)
        account.renew(life: 20)
        var book = MetricsBook()
        for event in account.events { book.apply(event) }
        let reading = book.reading(version: "1.2.3", at: account.now)
        let json = Self.message.metrics(reading, since: account.now, at: account.now)
        let metrics = try #require(
            json["resourceMetrics"]?.first?["scopeMetrics"]?.first?["metrics"]?.arrayValue
        )
        #expect(metrics.count == reading.families.count)
        let named = Dictionary(
            uniqueKeysWithValues: metrics.map { ($0["name"]?.stringValue ?? "", $0) }
        )
        let logins = try #require(named["authtop_logins"]?["sum"])
        #expect(logins["isMonotonic"] == true && logins["aggregationTemporality"] == .integer(2))
        #expect(logins["dataPoints"]?.first?["asInt"] == "1")
        #expect(logins["dataPoints"]?.first?["startTimeUnixNano"] != nil)
        let durations = named["authtop_renewal_duration_seconds"]
        #expect(durations?["unit"] == "s")
        #expect(durations?["histogram"]?["dataPoints"]?.first?["count"] == "1")
        #expect(named["authtop_sessions"]?["gauge"]?["dataPoints"]?.first?["asInt"] == "1")
    }
}

extension JSONValue {
    fileprivate var arrayValue: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    fileprivate var first: JSONValue? { arrayValue?.first }
}
