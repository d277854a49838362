import Foundation
import Testing

@testable import Platform

@Suite("The kept layout")
struct LayoutFileTests {
    @Test("is that of each kind of dashboard, and there is no file without one")
    func kept() async throws {
        try await withVaults { bench async throws in
            let folder = bench.location.folder
            let file = LayoutFile(folder: folder)
            #expect(file.read(.own) == nil)
            let (own, app) = (
                LayoutFile.Layout(pane: 6, isZoomed: true),
                LayoutFile.Layout(pane: 3, isZoomed: false)
            )
            await file.write(own, of: .own)
            await file.write(app, of: .app)
            #expect(LayoutFile(folder: folder).read(.own) == own)
            #expect(LayoutFile(folder: folder).read(.app) == app)
            let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/layout")[
                .posixPermissions
            ]
            #expect(mode as? Int == 0o600)
            await file.write(nil, of: .own)
            #expect(file.read(.own) == nil && file.read(.app) == app)
            await file.write(nil, of: .app)
            #expect(!FileManager.default.fileExists(atPath: "\(folder)/layout"))
        }
    }

    @Test(
        "a file that says something else counts as none",
        arguments: ["", "not json", "[]", #"{"own": {"pane": "6"}}"#, #"{"own": {"pane": 1e99}}"#]
    )
    func damaged(text: String) async throws {
        try await withVaults { bench async throws in
            let folder = bench.location.folder
            let file = LayoutFile(folder: folder)
            await file.write(LayoutFile.Layout(pane: 6, isZoomed: true), of: .own)
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/layout"))
            #expect(file.read(.own) == nil)
        }
    }
}
