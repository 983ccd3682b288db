@testable import AuthorizerContract
@testable import LambdaEmulator
import Foundation
import JSON
import TestSupport
import TestTokens
import Testing

/// The function behind the harness.
@Suite(.needsBootstrap, .hangLimit)
struct SampleEventTests {
  static let sampleFolder = Workshop.packageRoot.appendingPathComponent("events")
  static let sharedFolder = Workshop.packageRoot.deletingLastPathComponent().appendingPathComponent(
    "shared/events")

  static func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

  @Test(.enabled(if: exists(sampleFolder), "the folder events does not exist"))
  func everySampleEventPasses() throws {
    let answer = try Workshop().execute(["test", "events", "--json"], in: Workshop.packageRoot)
    #expect(answer.exit == 0, "\(answer.output) \(answer.errors)")
    let root = try JSONDocument(parsing: Array(answer.output.utf8), limits: .event).root
    #expect(root["failed"]?.number?.integer == 0)
    #expect(root["passed"]?.number?.integer ?? 0 >= 25)
  }

  @Test(.enabled(if: exists(sharedFolder), "the folder ../shared/events does not exist"))
  func loopContinuesAfterAnyEvent() async throws {
    let workshop = try Workshop()
    let keys = try SharedKeys.all().publicKeySet.bytes()
    try workshop.write(String(decoding: keys, as: UTF8.self), to: "jwks.json")
    let configuration =
      #"{"issuers":[{"preset":"apple","audiences":["com.example.app"],"keys":{"seed":"jwks.json","pinned":true}}]}"#
    let variables = ["AUTHORIZER_CONFIG": configuration, "AUTHORIZER_DEVELOPMENT": "1"]
    let function = RecordedFunction(Workshop.bootstrap, in: workshop.folder, variables)
    let files = try Self.sharedFiles()
    #expect(files.count > 50)
    try await function.run { environment in
      var foreign = 0
      for file in files {
        let event = Array(try Data(contentsOf: file))
        let result = await environment.invoke(event: event)
        let evaluation = Evaluation(of: result.answer, to: event)
        if AuthorizerEvent(event) == nil {
          foreign += 1
          #expect(evaluation.outcome == .failure, "\(file.lastPathComponent)")
          #expect(result.decision?.reason == "invalidEvent", "\(file.lastPathComponent)")
        } else {
          #expect(evaluation.outcome == .unauthorized, "\(file.lastPathComponent): \(evaluation.explanation)")
        }
        #expect(Self.isAnswer(result.answer), "\(file.lastPathComponent): \(evaluation.explanation)")
      }
      #expect(foreign > 0)
      #expect(foreign < files.count)
    }
  }

  private static func isAnswer(_ answer: InvocationAnswer) -> Bool {
    switch answer {
    case .response, .error: true
    case .died, .timedOut, .initializationFailed: false
    }
  }

  private static func sharedFiles() throws -> [URL] {
    let names = FileManager.default.enumerator(atPath: sharedFolder.path)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".json") }.sorted().map { sharedFolder.appendingPathComponent($0) }
  }
}
