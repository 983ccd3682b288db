import Foundation
import TestSupport
import Testing

/// WebSocket handshakes that clients sign for the address that they write.
@Suite(.needsPython, .hangLimit)
struct SignedHandshakeTests {
  private static let template = """
    Resources:
      Live:
        Type: AWS::ApiGatewayV2::Api
        Properties: { Name: l, ProtocolType: WEBSOCKET, RouteSelectionExpression: $request.body.action }
      Stage:
        Type: AWS::ApiGatewayV2::Stage
        Properties: { ApiId: !Ref Live, StageName: live }
      Mock:
        Type: AWS::ApiGatewayV2::Integration
        Properties: { ApiId: !Ref Live, IntegrationType: MOCK }
      Connect:
        Type: AWS::ApiGatewayV2::Route
        Properties:
          ApiId: !Ref Live
          RouteKey: $connect
          AuthorizationType: AWS_IAM
          Target: !Sub "integrations/${Mock}"
    """

  /// Signs a handshake by Signature Version 4 for one path, sends it to another, and prints the status.
  private static let client = #"""
    import datetime, hashlib, hmac, json, socket, sys, urllib.request
    port, host, path, query, signed = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/dev/credentials") as answer:
        found = json.load(answer)
    time = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    scope = f"{time[:8]}/us-east-1/execute-api/aws4_request"
    empty = hashlib.sha256(b"").hexdigest()
    request = f"GET\n{signed}\n{query}\nhost:{host}\nx-amz-date:{time}\n\nhost;x-amz-date\n{empty}"
    text = f"AWS4-HMAC-SHA256\n{time}\n{scope}\n" + hashlib.sha256(request.encode()).hexdigest()
    key = ("AWS4" + found["SecretAccessKey"]).encode()
    for word in scope.split("/"):
        key = hmac.new(key, word.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    credential = f"Credential={found['AccessKeyId']}/{scope}"
    lines = [f"GET {path}{'?' + query if query else ''} HTTP/1.1", f"Host: {host}", "Upgrade: websocket",
        "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
        f"X-Amz-Date: {time}",
        f"Authorization: AWS4-HMAC-SHA256 {credential}, SignedHeaders=host;x-amz-date, Signature={signature}", "", ""]
    client = socket.create_connection(("127.0.0.1", port))
    client.sendall("\r\n".join(lines).encode())
    print(client.recv(4096).decode().split(" ")[1])
    """#

  /// The name of the API is part of the path that is signed, or it is in the host.
  @Test func aSignatureCoversTheAddressOfTheClient() throws {
    let workshop = try Workshop()
    try workshop.write(Self.template, to: "live.yaml")
    try workshop.write(Self.client, to: "client.py")
    let python = URL(fileURLWithPath: try #require(Workshop.python))
    let gateway = try ServedGateway(workshop, ["--template", "live.yaml"])
    let (local, named) = ("127.0.0.1:\(gateway.port)", "live.localhost:\(gateway.port)")
    for (host, path, query, signed, status) in [
      (local, "/Live/live", "", "/Live/live", "101"), (local, "/Live/live", "a=1", "/Live/live", "101"),
      (named, "/live", "", "/live", "101"),
      (local, "/Live/live", "", "/live", "403"), (named, "/live", "", "/Live/live", "403"),
    ] {
      let answer = try workshop.execute(
        ["-I", "client.py", "\(gateway.port)", host, path, query, signed], tool: python)
      #expect(answer.output == status + "\n", "\(host) \(path) \(answer.errors) \(gateway.logText)")
    }
  }
}
