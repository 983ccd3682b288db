import Foundation
import Testing
import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An HTTP client of a server of the test.
struct LoopbackClient: Sendable {
  /// The URL before each path.
  let base: String

  struct Answer: Sendable {
    let status: Int
    let body: String
    let headers: [String: String]
  }

  func send(
    _ method: String, _ path: String, body: [UInt8] = [], headers: [String: String] = [:]
  ) async throws -> Answer {
    let url = try #require(URL(string: base + path))
    var request = URLRequest(url: url, timeoutInterval: TimeInterval(HangLimit.seconds))
    request.httpMethod = method
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    if method == "POST" { request.httpBody = Data(body) }
    let (data, response) = try await URLSession.shared.data(for: request)
    let http = try #require(response as? HTTPURLResponse)
    var fields: [String: String] = [:]
    for (name, value) in http.allHeaderFields {
      if let name = name as? String, let value = value as? String { fields[name.lowercased()] = value }
    }
    return Answer(status: http.statusCode, body: String(decoding: data, as: UTF8.self), headers: fields)
  }
}
