import DynamoDB
import Testing

@Suite("DynamoDB client")
struct DynamoDBClientTests {
  @Test("Each operation sends the documented parameters")
  func operations() throws {
    var script = Scripted(
      [.answer(), .answer(), .answer(), .answer(), .answer(), .answer(), .answer(), .answer()],
      pace: HeldPace(bits: 1, step: 1))
    let deadline = script.client.deadline(afterMilliseconds: 1500)
    #expect(try script.client.getItem(Array("a\"b".utf8), isConsistent: true, deadline: deadline) == nil)
    #expect(try script.client.getItem([0x61], isConsistent: false, deadline: deadline) == nil)
    var item = Item.key([0x61])
    item.set("s", .string(Array("\u{E9}".utf8)))
    item.set("n", .number(.min))
    item.set("b", .boolean(false))
    item.set("absent", nil)
    var values = Item()
    values.set(":now", .number(5))
    try script.client.write(.put(item, if: "expires < :now", values: values), deadline: deadline)
    let update = ItemWrite.update([0x62], "SET n = :now", if: nil, values: values)
    try script.client.write(update, deadline: deadline)
    try script.client.transactWrite([.put(.key([0x61])), update], deadline: deadline)
    let check = ItemCheck([0x63], "n < :now", values: values)
    try script.client.transactWrite([.put(.key([0x61]))], if: check, deadline: deadline)
    try script.client.write(.delete([0x61]), deadline: deadline)
    try script.client.transactWrite([.delete([0x61])], deadline: deadline)
    let change =
      #"{"TableName":"users","Key":{"pk":{"S":"b"}},"UpdateExpression":"SET n = :now","ExpressionAttributeValues":{":now":{"N":"5"}}}"#
    #expect(
      script.transport.bodies == [
        #"{"TableName":"users","Key":{"pk":{"S":"a\"b"}},"ConsistentRead":true}"#,
        #"{"TableName":"users","Key":{"pk":{"S":"a"}}}"#,
        #"{"TableName":"users","Item":{"pk":{"S":"a"},"s":{"S":"é"},"n":{"N":"-9223372036854775808"},"b":{"BOOL":false}},"ConditionExpression":"expires < :now","ExpressionAttributeValues":{":now":{"N":"5"}}}"#,
        change,
        #"{"ClientRequestToken":"00000000000000010000000000000002","TransactItems":[{"Put":{"TableName":"users","Item":{"pk":{"S":"a"}}}},{"Update":\#(change)}]}"#,
        #"{"ClientRequestToken":"00000000000000030000000000000004","TransactItems":[{"Put":{"TableName":"users","Item":{"pk":{"S":"a"}}}},{"ConditionCheck":{"TableName":"users","Key":{"pk":{"S":"c"}},"ConditionExpression":"n < :now","ExpressionAttributeValues":{":now":{"N":"5"}}}}]}"#,
        #"{"TableName":"users","Key":{"pk":{"S":"a"}}}"#,
        #"{"ClientRequestToken":"00000000000000050000000000000006","TransactItems":[{"Delete":{"TableName":"users","Key":{"pk":{"S":"a"}}}}]}"#,
      ])
    #expect(
      script.transport.calls.map(\.operation) == [
        "GetItem", "GetItem", "PutItem", "UpdateItem", "TransactWriteItems", "TransactWriteItems",
        "DeleteItem", "TransactWriteItems",
      ])
    #expect(
      script.transport.calls.allSatisfy { $0.connectMilliseconds == 1000 && $0.totalMilliseconds == 1500 })
  }

  @Test("An item's attributes are parsed by type, and other types are ignored")
  func readsItem() throws {
    var script = Scripted([
      .answer(
        200,
        #"{"Item":{"pk":{"S":"a"},"n":{"N":"-9223372036854775808"},"m":{"N":"9223372036854775807"},"e":{"S":""},"b":{"BOOL":true},"x":{"NULL":true},"l":{"L":[{"S":"a"}]},"big":{"N":"9223372036854775808"},"real":{"N":"1.5"}}}"#
      )
    ])
    let item = try #require(try script.item())
    #expect(item.string("pk") == [0x61])
    #expect(item.number("n") == .min)
    #expect(item.number("m") == .max)
    #expect(item.string("e") == [])
    #expect(item.boolean("b") == true)
    for name in ["x", "l", "big", "real", "absent"] { #expect(item[name] == nil) }
    #expect(item.string("n") == nil)
    #expect(item.number("e") == nil)
    #expect(item.boolean("n") == nil)
  }

  static let malformed: [String] = [
    "", "{", "[]", "null", #"{"Item":[]}"#, #"{"Item":{}}"#, #"{"Item":{"pk":{"S":"b"}}}"#,
    #"{"Item":{"pk":{"N":"1"}}}"#, #"{"Item":{"pk":"a"}}"#, #"{"Item":{"pk":{}}}"#,
    #"{"Item":{"pk":{"S":"a","N":"1"}}}"#, #"{"Item":{"pk":{"S":"a"},"n":5}}"#,
    #"{"Item":{"pk":{"S":"a"},"pk":{"S":"a"}}}"#, #"{"Item":{"pk":{"S":"a"}},"Item":{"pk":{"S":"a"}}}"#,
    #"{"Item":{"pk":{"S":"a"}}} x"#, #"{"Item":null}"#,
    #"{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"x"}"#,
    #"{"message":"x"}"#, #"{"item":{"pk":{"S":"a"}}}"#, #"{"Item":{"pk":{"S":"a"}},"__type":"x#Y"}"#,
    #"{"Attributes":{}}"#, #"{"Responses":[]}"#, #"{"":1}"#,
    "{\"Item\":{\"pk\":{\"S\":\"" + String(repeating: "a", count: 1 << 20) + "\"}}}",
    "{\"Item\":{\"pk\":{\"S\":\"a\"},\"l\":{\"L\":" + String(repeating: "[", count: 20)
      + String(repeating: "]", count: 20) + "}}}",
    "{\"Item\":{" + (0..<300).map { "\"\($0)\":{\"N\":\"1\"}" }.joined(separator: ",") + "}}",
  ]

  @Test("A malformed answer is an error without a retry", arguments: malformed)
  func malformedAnswer(_ body: String) {
    var script = Scripted([.answer(200, body)])
    #expect(throws: DynamoDBError.malformedAnswer) { try script.item() }
    #expect(script.transport.calls.count == 1)
  }

  @Test("Documented members of answers are accepted")
  func documentedMembers() throws {
    var script = Scripted([
      .answer(200, #"{"ConsumedCapacity":{"CapacityUnits":1}}"#),
      .answer(200, #"{"ConsumedCapacity":{},"Item":{"pk":{"S":"a"}}}"#),
      .answer(200, #"{"Attributes":{},"ConsumedCapacity":{},"ItemCollectionMetrics":{}}"#),
      .answer(200, #"{"ConsumedCapacity":[],"ItemCollectionMetrics":{}}"#),
    ])
    #expect(try script.item() == nil)
    #expect(try script.item() != nil)
    try script.put()
    try script.transact()
  }

  @Test(
    "An error with status 200 is not a successful write",
    arguments: [#"{"__type":"x#ThrottlingException"}"#, #"{"Item":{}}"#, #"{"message":""}"#])
  func malformedWrite(_ body: String) {
    var put = Scripted([.answer(200, body)])
    #expect(throws: DynamoDBError.malformedAnswer) { try put.put() }
    var transaction = Scripted([.answer(200, body)])
    #expect(throws: DynamoDBError.malformedAnswer) { try transaction.transact() }
  }

  struct Failing: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let step: ScriptedTransport.Step
    let error: DynamoDBError
    let code: String
    var attempts = 1

    init(
      _ name: String, _ step: ScriptedTransport.Step, _ error: DynamoDBError, _ code: String,
      _ attempts: Int = 1
    ) {
      testDescription = name
      self.step = step
      self.error = error
      self.code = code
      self.attempts = attempts
    }
  }

  private static func unreachable(_ kind: CallFailure.Kind, _ attempts: Int = 10) -> Failing {
    let failure = CallFailure(kind, "why")
    return Failing(kind.code, .failure(failure), .unreachable(failure), kind.code, attempts)
  }

  private static func named(_ name: String, _ error: DynamoDBError, _ attempts: Int = 1) -> Failing {
    Failing(name, .error(name), error, error.code, attempts)
  }

  static let failing: [Failing] = [
    unreachable(.nameResolution), unreachable(.connect), unreachable(.timeout), unreachable(.tls),
    unreachable(.transfer), unreachable(.process), unreachable(.tooLarge, 1), unreachable(.libraryMissing, 1),
    unreachable(.configuration, 1), unreachable(.executable, 1),
    named("ThrottlingException", .throttled, 10), named("RequestLimitExceeded", .throttled, 10),
    named("ProvisionedThroughputExceededException", .throttled, 10),
    named("TransactionConflictException", .contended, 10),
    named("TransactionInProgressException", .contended, 10),
    named("ConditionalCheckFailedException", .conditionFailed),
    named("ResourceNotFoundException", .tableMissing),
    named("AccessDeniedException", .accessDenied("AccessDeniedException")),
    named("ExpiredTokenException", .accessDenied("ExpiredTokenException")),
    named("UnrecognizedClientException", .accessDenied("UnrecognizedClientException")),
    named("InvalidSignatureException", .accessDenied("InvalidSignatureException")),
    named("ValidationException", .refused("ValidationException")),
    named("IdempotentParameterMismatchException", .refused("IdempotentParameterMismatchException")),
    named("TransactionCanceledException", .malformedAnswer),
    Failing("500", .error("InternalServerError", 500), .serverFailed(status: 500), "storeFailed", 10),
    Failing("503 in HTML", .answer(503, "<html>"), .serverFailed(status: 503), "storeFailed", 10),
    Failing("429 in HTML", .answer(429, "<html>"), .throttled, "storeThrottled", 10),
    Failing("a throttle with 503", .error("ThrottlingException", 503), .throttled, "storeThrottled", 10),
    Failing("400 in HTML", .answer(400, "<html>"), .malformedAnswer, "storeMalformedAnswer"),
    Failing("a redirection", .answer(301, "{}"), .malformedAnswer, "storeMalformedAnswer"),
    Failing("201", .answer(201, "{}"), .malformedAnswer, "storeMalformedAnswer"),
    Failing(
      "an invalid name", .answer(400, #"{"__type":"a#secret value"}"#), .malformedAnswer,
      "storeMalformedAnswer"),
    Failing(
      "a name of another type", .answer(400, #"{"__type":5}"#), .malformedAnswer, "storeMalformedAnswer"),
    Failing(
      "no namespace", .answer(400, #"{"__type":"ResourceNotFoundException"}"#), .tableMissing,
      "storeTableMissing"),
  ]

  @Test("Each failure has its error and retries, and its description contains no data", arguments: failing)
  func fails(_ failing: Failing) {
    var script = Scripted([ScriptedTransport.Step](repeating: failing.step, count: 20))
    let error = #expect(throws: DynamoDBError.self) { try script.item() }
    #expect(error == failing.error)
    #expect(error?.code == failing.code)
    #expect(error?.description.contains("secret") == false)
    #expect(script.transport.calls.count == failing.attempts)
  }

  @Test("Parameters beyond 512 KiB are not sent")
  func requestTooLarge() {
    var script = Scripted([.answer()])
    #expect(throws: DynamoDBError.requestTooLarge) {
      try script.item(String(repeating: "a", count: 512 << 10))
    }
    #expect(script.transport.calls.isEmpty)
  }

  @Test("A deadline in Unix time is converted to the monotonic clock, within limits")
  func deadlines() {
    let script = Scripted([])
    let now = script.pace.unixMilliseconds
    for (unix, wait) in [(now + 5, 5), (now, 0), (now - 5, 0), (.min, 0), (.max, 900_000)] as [(Int64, Int64)]
    {
      #expect(script.client.deadline(unixMilliseconds: unix) == script.pace.time + wait)
    }
  }
}
