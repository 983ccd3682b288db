internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Calls a real backend.
enum HTTPBackend {
  /// Its answer; redirects are passed on as they are, as API Gateway does.
  static func answer(to request: BackendRequest) async -> BackendAnswer {
    guard let url = URL(string: request.address) else { return .unreachable }
    var outgoing = URLRequest(url: url)
    outgoing.httpMethod = request.method
    for header in request.headers { outgoing.addValue(header.value, forHTTPHeaderField: header.name) }
    if !request.body.isEmpty { outgoing.httpBody = Data(request.body) }
    do {
      let (data, answer) = try await URLSession.shared.data(for: outgoing, delegate: Redirection())
      guard let answer = answer as? HTTPURLResponse else { return .unreachable }
      var response = GatewayResponse(status: answer.statusCode, body: Array(data))
      for (name, value) in answer.allHeaderFields {
        let name = String(describing: name)
        if !dropped.contains(name.lowercased()) {
          response.headers.append(.init(name, String(describing: value)))
        }
      }
      response.headers.sort { $0.name < $1.name }
      return .response(response)
    } catch {
      return .unreachable
    }
  }

  /// Of the connection, and of the encoding that the client of ours has already undone.
  private static let dropped: Set<String> = [
    "connection", "transfer-encoding", "content-length", "content-encoding",
  ]

  private final class Redirection: NSObject, URLSessionTaskDelegate {
    func urlSession(
      _: URLSession, task _: URLSessionTask, willPerformHTTPRedirection _: HTTPURLResponse,
      newRequest _: URLRequest,
      completionHandler: @escaping (URLRequest?) -> Void
    ) {
      completionHandler(nil)
    }
  }
}
