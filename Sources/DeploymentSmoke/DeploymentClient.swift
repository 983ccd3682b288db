internal import CLibcurl
internal import GatewayEmulator
package import GatewayModel
package import LibcurlTransfer
internal import Foundation

/// Sends requests to deployed APIs, each with a connection of its own, and follows no redirect.
package enum DeploymentClient {
  /// Sends a request to a URL whose host was checked.
  package static func answer(
    to request: GatewayRequest, at url: String
  ) async -> Result<DeployedAnswer, TransferFailure> {
    // A control character would begin another header or end the URL.
    let texts = [url, request.method] + request.headers.flatMap { [$0.name, $0.value] }
    guard texts.allSatisfy({ $0.utf8.allSatisfy { 0x20..<0x7F ~= $0 } }) else {
      return .failure(TransferFailure(.transfer, ""))
    }
    return await HTTPAnswer.onThread { transfer(request, url) }
  }

  private static func transfer(
    _ request: GatewayRequest, _ url: String
  ) -> Result<DeployedAnswer, TransferFailure> {
    var answer = HTTPAnswer(endsAtUpgrade: !request.values(ofHeader: "upgrade").isEmpty)
    let begin = DispatchTime.now().uptimeNanoseconds
    let isPlain = url.utf8.starts(with: "http://".utf8)
    // libcurl writes `Host` from the URL, so that it cannot name another one.
    let headers = request.headers.filter { $0.name.lowercased() != "host" }
    do throws(TransferFailure) {
      // A name without a value removes the header that libcurl would add (CURLOPT_HTTPHEADER(3)). The proxy gets no
      // token: libcurl asks it for a tunnel, and TLS ends at the API.
      try answer.receive(
        request.method, url, headers.map { "\($0.name): \($0.value)" } + ["Content-Type:"], body: [],
        milliseconds: SmokeLimit.answerMilliseconds, allowsHTTP: isPlain, isProxied: !isPlain
      ) { libcurl in
        libcurl.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        // Before libcurl 7.42.1, the proxy got the header lines too.
        libcurl.set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
      }
    } catch {
      // A connection of a WebSocket API is closed at once. A backend that streams without end has answered too.
      let isLong = error.reason == .timeout || (answer.response?.body.count ?? 0) > SmokeLimit.bodyBytes
      guard answer.hasHead, isLong || answer.response?.status == 101 else { return .failure(error) }
    }
    guard let response = answer.response else { return .failure(TransferFailure(.transfer, "")) }
    let elapsed = Int((DispatchTime.now().uptimeNanoseconds - begin) / 1_000_000)
    return .success(DeployedAnswer(response: response, milliseconds: elapsed))
  }
}

/// What a deployed API answered.
package struct DeployedAnswer: Sendable {
  package let response: GatewayResponse
  /// The time to the end of the answer.
  package let milliseconds: Int
}

extension TransferFailure.Reason {
  /// Why there is no answer, without an address and a text of the server.
  var words: String {
    switch self {
    case .nameResolution: "the host has no address"
    case .connect: "the host takes no connection"
    case .tls: "the certificate of the host is not trusted"
    case .timeout: "no answer within \(SmokeLimit.answerMilliseconds / 1000) s"
    case .tooLarge, .transfer: "the answer is not HTTP, or incomplete"
    case .libraryNotLoaded, .libraryUnusable: "libcurl is not installed"
    }
  }
}

/// Limits of a run.
package enum SmokeLimit {
  /// How long an answer may take: API Gateway's maximum ("Quotas for HTTP APIs", maximum integration timeout).
  package static let answerMilliseconds = 30_000
  /// How much of a body is kept: our choice. The bodies of API Gateway's own answers have at most 8,000 bytes (a
  /// gateway response template), those of backends are not compared.
  static let bodyBytes = 65_536
  /// From when on an answer is called slow: our choice.
  static let slowMilliseconds = 10_000
  /// Requests in a second without `--rate`: our choice, far below the default throttle of an account (10,000).
  package static let requestsPerSecond = 2.0
  /// How much later the same request is predicted again, in milliseconds, to find what depends on the time.
  static let laterMilliseconds: Int64 = 61_000
  /// How many assumptions of one request are tried together: our choice; 2 values each are 16 predictions.
  static let assumptions = 4
}
