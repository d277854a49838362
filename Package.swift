// swift-tools-version: 6.2
import PackageDescription

/// Set by `.ci/fuzz` alone.
let isFuzzing = Context.environment["AUTHTOP_FUZZ"] != nil

/// Set by `.ci/benchmarks` alone.
let isMeasuring = Context.environment["AUTHTOP_BENCHMARKS"] != nil

/// Set by `.ci/run`: compiling takes longer then, and the tests take a fifth of the time.
let hasFastTests = Context.environment["AUTHTOP_FAST_TESTS"] != nil

/// What libFuzzer has to see, and the checks that an optimized build leaves out.
let fuzzable: [SwiftSetting] = [
    .unsafeFlags(["-sanitize=fuzzer", "-assert-config", "Debug", "-enable-testing"])
]

let strict: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
    ] + (isFuzzing ? fuzzable : [])

/// For code that runs when a program starts, for a key or for a frame, and not for each of thousands
/// of requests.
let optimizedForSize: [SwiftSetting] = [
    .unsafeFlags(["-Osize"], .when(configuration: .release))
]

/// For code with which tests compute for long, thousands of simulated sessions for example: optimized in
/// debug builds as well, with the checks of one.
let optimizedForTests: [SwiftSetting] =
    hasFastTests
    ? [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))] : []

/// The dialects that are part of the program: one file each under `assets/dialects/`.
let dialects = ["bitbasel", "creatist", "intellipost", "melchat", "oauth2", "voltyks"]

/// The themes that are part of the program: one file each under `assets/themes/`.
let themes = ["dark", "light"]

/// The profiles of providers that are part of the program: one file each under `assets/providers/`.
let providers = [
    "auth0", "authentik", "better-auth", "clerk", "cognito", "discord", "entra", "firebase",
    "github", "gitlab", "google", "keycloak", "logto", "okta", "ory", "slack", "spotify",
    "supabase", "workos", "zitadel",
]

/// The protocols of messages that a feed can have as its kind: one file each under `assets/feeds/`.
let feeds = [
    "actioncable", "graphql-transport-ws", "home-assistant", "phoenix", "signalr", "socketio",
    "stomp",
]

/// Where programs keep sessions, as part of the program: one file each under `assets/stores/`.
let stores = [
    "amazon-kiro", "argocd", "aws", "aws-sso", "azure", "cargo", "claude", "cloudfoundry",
    "codex", "databricks", "digitalocean", "docker", "firebase", "fly", "gcloud", "gemini",
    "git", "github", "github-copilot", "huggingface", "kubernetes", "mcp-remote", "netlify",
    "netrc", "npm", "opencode", "pulumi", "qwen", "rclone", "snyk", "supabase",
    "terraform", "uv", "vault", "vercel", "wrangler",
]

func target(
    _ name: String,
    _ dependencies: [Target.Dependency] = [],
    resources: [Resource]? = nil,
    settings: [SwiftSetting] = []
) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        resources: resources,
        swiftSettings: strict + settings
    )
}

func linkerOptions(_ options: [String]) -> [String] {
    options.flatMap { ["-Xlinker", $0] }
}

func tests(
    _ name: String,
    _ dependencies: [Target.Dependency] = [],
    exclude: [String] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.byName(name: name)] + dependencies,
        exclude: exclude,
        swiftSettings: strict
    )
}

extension Target.Dependency {
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
    static let asyncHTTPClient = product(name: "AsyncHTTPClient", package: "async-http-client")
    static let deque = product(name: "DequeModule", package: "swift-collections")
    static let heap = product(name: "HeapModule", package: "swift-collections")
    static let crypto = product(name: "Crypto", package: "swift-crypto")
    static let asn1 = product(name: "SwiftASN1", package: "swift-asn1")
    static let certificates = product(name: "X509", package: "swift-certificates")
    static let cryptoExtras = product(name: "CryptoExtras", package: "swift-crypto")
    static let hummingbirdCore = product(name: "HummingbirdCore", package: "hummingbird")
    static let logging = product(name: "Logging", package: "swift-log")
    static let nio = product(name: "NIOCore", package: "swift-nio")
    static let nioHTTP = product(name: "NIOHTTP1", package: "swift-nio")
    static let nioHTTP2 = product(name: "NIOHTTP2", package: "swift-nio-http2")
    static let nioHPACK = product(name: "NIOHPACK", package: "swift-nio-http2")
    static let nioExtras = product(name: "NIOExtras", package: "swift-nio-extras")
    static let nioHTTPTypes = product(name: "NIOHTTPTypes", package: "swift-nio-extras")
    static let nioHTTPTypesHTTP1 = product(
        name: "NIOHTTPTypesHTTP1",
        package: "swift-nio-extras"
    )
    static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
    static let nioSSL = product(name: "NIOSSL", package: "swift-nio-ssl")
    static let nioTLS = product(name: "NIOTLS", package: "swift-nio")
    static let nioWebSocket = product(name: "NIOWebSocket", package: "swift-nio")
    static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
    static let jwtKit = product(name: "JWTKit", package: "jwt-kit")
    static let httpTypes = product(name: "HTTPTypes", package: "swift-http-types")
    static let serviceLifecycle = product(
        name: "ServiceLifecycle",
        package: "swift-service-lifecycle"
    )
}

let package = Package(
    name: "authtop",
    products: [
        .executable(name: "authtop", targets: ["authtop"]),
        .executable(name: "authtop-lab", targets: ["Lab"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.45.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        .systemLibrary(name: "CNcurses"),
        .systemLibrary(name: "CProcess"),
        .systemLibrary(name: "CSQLite"),
        .systemLibrary(name: "CYAML"),
        .systemLibrary(name: "CZlib"),
        .target(name: "CRuntime"),
        .target(name: "CSignals"),
        target(
            "Basics",
            ["CRuntime", .crypto, .heap],
            settings: optimizedForTests
        ),
        target(
            "HTTP",
            [
                "Basics", "CZlib", .httpTypes, .nio, .nioPosix, .nioHTTP, .nioWebSocket, .nioSSL,
                .nioTLS, .nioExtras,
            ]
        ),
        target(
            "Profiles",
            ["Basics", .httpTypes],
            resources: dialects.map { .embedInCode("../../assets/dialects/\($0).toml") }
                + providers.map { .embedInCode("../../assets/providers/\($0).toml") }
                + feeds.map { .embedInCode("../../assets/feeds/\($0).toml") }
                + [.embedInCode("../../assets/recognition.toml")],
            settings: optimizedForSize
        ),
        target("Model", ["Profiles", "Basics", .deque], settings: optimizedForTests),
        target(
            "Stores",
            ["Model", "Profiles", "Basics", "CSQLite", "CYAML"],
            resources: stores.map { .embedInCode("../../assets/stores/\($0).toml") },
            settings: optimizedForSize
        ),
        target(
            "Client",
            ["Model", "Profiles", "Basics", .deque, .heap],
            settings: optimizedForTests
        ),
        target("Observer", ["Model", "Profiles", "Basics", .deque], settings: optimizedForTests),
        target(
            "Platform",
            [
                "Client", "Stores", "Model", "Profiles", "HTTP", "Basics", "CProcess", "CSignals",
                .asyncHTTPClient, .crypto, .cryptoExtras, .nio, .nioPosix, .nioHTTP, .nioHPACK,
                .nioHTTP2, .nioSSL, .nioTLS,
            ],
            settings: optimizedForSize
        ),
        target(
            "Proxy",
            [
                "Observer", "Platform", "HTTP", "Model", "Profiles", "Basics", .asn1,
                .certificates, .crypto, .deque, .nio, .nioHPACK, .nioHTTP2, .nioPosix, .nioSSL,
                .nioTLS,
            ]
        ),
        target(
            "Backend",
            ["Model", "Profiles", "Basics", .crypto],
            settings: optimizedForTests
        ),
        target(
            "Sandbox",
            [
                "Backend", "Model", "Profiles", "HTTP", "Basics", .hummingbirdCore, .httpTypes,
                .logging,
                .nio, .nioPosix, .nioHTTP, .nioHTTPTypes, .nioHTTPTypesHTTP1, .serviceLifecycle,
            ],
            settings: optimizedForSize
        ),
        target(
            "Simulation",
            ["Backend", "Client", "Model", "Profiles", "Basics"],
            settings: optimizedForTests
        ),
        .executableTarget(
            name: "Lab",
            dependencies: [
                "Simulation", "Backend", "Client", "Observer", "Model", "Profiles", "Basics",
                .argumentParser,
            ],
            swiftSettings: strict + optimizedForTests
        ),
        target(
            "UI",
            ["Stores", "Model", "Profiles", "Basics", .deque],
            resources: themes.map { .embedInCode("../../assets/themes/\($0).toml") },
            settings: optimizedForSize
        ),
        target("Terminal", ["UI", "Basics", "CNcurses"], settings: optimizedForSize),
        .executableTarget(
            name: "authtop",
            dependencies: [
                "Basics", "HTTP", "Profiles", "Model", "Client", "Observer", "Stores", "Platform",
                "Proxy", "Backend", "Sandbox", "Simulation", "UI", "Terminal", "CNcurses",
                "CProcess",
                .argumentParser, .jwtKit, .logging, .nio, .nioPosix,
            ],
            swiftSettings: strict + optimizedForSize,
            // Nothing looks symbols up in the program, functions with the same code are one,
            // `release.ld` says what else is left out, what a screen needs lies together, and
            // `CRuntime` answers for the runtime.
            linkerSettings: [
                .unsafeFlags(
                    ["-use-ld=lld"]
                        + linkerOptions(
                            ["--no-export-dynamic", "--icf=all"]
                                + ["-T", "\(Context.packageDirectory)/.ci/release.ld"]
                                + ["--symbol-ordering-file"]
                                + ["\(Context.packageDirectory)/.ci/release.order"]
                                + ["--no-warn-symbol-ordering"]
                                + [
                                    "swift_conformsToProtocol", "swift_conformsToProtocol2",
                                    "swift_conformsToProtocolCommon",
                                    "swift_conformsToProtocolWithExecutionContext",
                                ].map { "--wrap=\($0)" }
                        ),
                    .when(platforms: [.linux], configuration: .release)
                )
            ]
        ),
        .target(
            name: "TestSupport",
            dependencies: ["CProcess"],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        .target(
            name: "FeedTestSupport",
            dependencies: ["HTTP", .nio, .nioHTTP, .nioPosix, .nioSSL],
            path: "Tests/FeedTestSupport",
            swiftSettings: strict
        ),
        .testTarget(name: "TidyTests", swiftSettings: strict),
        tests("Basics"),
        tests(
            "HTTP",
            ["TestSupport", .nio, .nioEmbedded, .nioHTTP, .nioPosix, .nioSSL, .nioWebSocket]
        ),
        tests("Profiles", ["Basics"], exclude: ["Wire"]),
        tests("Stores", ["Basics", "Model", "Profiles"]),
        tests("Client", ["Basics", "Model", "Observer", "Platform", "Profiles", "UI"]),
        tests(
            "Observer",
            ["Backend", "Basics", "Model", "Profiles", "UI"],
            exclude: ["Recordings/Lines"]
        ),
        tests(
            "Platform",
            [
                "Basics", "Client", "FeedTestSupport", "HTTP", "Model", "Profiles", "Stores",
                "TestSupport",
                .asyncHTTPClient, .nio, .nioHPACK, .nioHTTP, .nioHTTP2, .nioPosix, .nioSSL,
            ],
            exclude: ["Vaults/Records"]
        ),
        tests(
            "Proxy",
            [
                "Basics", "Client", "HTTP", "Model", "Observer", "Platform", "Profiles",
                "TestSupport", .nio, .nioHPACK, .nioHTTP2, .nioPosix, .nioSSL,
            ],
            exclude: ["Speed"]
        ),
        tests("Backend", ["Basics", "Model", "Profiles"]),
        tests(
            "Sandbox",
            [
                "Backend", "Basics", "Client", "FeedTestSupport", "HTTP", "Model", "Platform",
                "Profiles", .asyncHTTPClient, .httpTypes, .hummingbirdCore, .logging, .nio,
                .nioEmbedded, .nioHTTP, .nioPosix, .serviceLifecycle,
            ]
        ),
        tests("Lab", ["Backend", "Basics", "Client", "Model", "Profiles", "Simulation", "UI"]),
        tests(
            "UI",
            ["Basics", "Model", "Observer", "Profiles", "Stores", "TestSupport"],
            exclude: ["Pictures", "Screens"]
        ),
        tests("Terminal", ["UI"]),
        tests(
            "authtop",
            [
                "Backend", "Basics", "Client", "FeedTestSupport", "HTTP", "Model", "Observer",
                "Platform", "Profiles", "Simulation", "TestSupport", "UI", .crypto, .logging, .nio,
                .nioPosix,
            ],
            exclude: [
                "ATProto/server.py", "Cases/Scripts", "Cases/server.py", "Cases/sleeper.c",
                "Conformances/pairs.swift", "Conformances/records.h", "CookieServer/server.py",
                "CookieServer/spa.toml", "Feed/signalr.py", "Kills/killpoint.c",
                "MCPServer/server.py", "OAuthServer/browser.py", "OAuthServer/chromium.py",
                "OAuthServer/server.py", "OAuthServer/toolkit.toml",
                "OpenIDProvider/glewlwyd.py", "OpenIDProvider/person.py",
                "OpenIDProvider/provider.py", "Profiles/far.py",
                "Proxy/app.py", "Proxy/cors.py", "Proxy/race.har", "Proxy/rebind.py",
                "Proxy/tabs.py", "Proxy/trust.py", "Proxy/webdriver.py",
            ]
        ),
    ]
)

if isFuzzing {
    package.targets += [
        .systemLibrary(name: "CLibFuzzer"),
        .executableTarget(
            name: "Fuzzing",
            dependencies: [
                "CLibFuzzer", "Basics", "Client", "HTTP", "Model", "Observer", "Profiles", .nio,
                .nioEmbedded, .nioHTTP,
            ],
            swiftSettings: strict,
            // Not gold, which cannot link libFuzzer.
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]
        ),
    ]
}

if isMeasuring {
    package.targets += [
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CNcurses", "CZlib", "Basics", "Client", "HTTP", "Model", "Platform", "Profiles",
                "Terminal", "UI",
            ],
            swiftSettings: strict
        )
    ]
}
