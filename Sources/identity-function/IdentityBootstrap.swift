import CPOSIX
import DynamoDB
import DynamoDBStore
import FunctionHost
import Identity
import IssuerKeys
import LambdaRuntime
import SQLiteStore
import UserStore

@main struct IdentityBootstrap {
  static func main() {
    cposix_set_signals()
    // Before the store opens a file, which must not become standard output.
    cposix_hold_standard_streams()
    exit(run(FunctionEnvironment()).rawValue)
  }

  private static func run(_ environment: FunctionEnvironment) -> RuntimeExitStatus {
    let start: Start
    do {
      start = Start(
        environment, try RuntimeEndpoint(parsing: environment.variable("AWS_LAMBDA_RUNTIME_API") ?? ""))
    } catch {
      environment.writeError(Array((error.description + "\n").utf8))
      return .configuration
    }
    WorkerSlot.installHandlers(for: start.endpoint)
    let settings: IdentitySettings
    do {
      settings = try IdentitySettings(reading: environment)
    } catch {
      return start.refuse("invalidConfiguration", error.description)
    }
    switch settings.store {
    case .sqlite(let path, let revocations):
      let revocationFile = revocations.map { environment.path($0) }
      return start.serve(settings) { () throws(StoreError) in
        let now = environment.machineUnixMilliseconds
        return try SQLiteStore(
          path: environment.path(path), revocationFile: revocationFile,
          deadlineMilliseconds: now + InvocationTime.maximumFetchMilliseconds,
          now: { environment.machineUnixMilliseconds })
      }
    case .dynamoDB(let table, let region):
      return start.serve(settings) { () throws(StoreError) in
        let transport = ProcessTransport(
          executable: ProcessTransport.executable(beside: environment.executablePath),
          allowsLoopbackHTTP: settings.isDevelopment,
          certificateFile: settings.fetch.certificateAuthorities.map { environment.path($0) },
          proxy: settings.fetch.proxy,
          variable: { name in
            let isRegion = name.utf8.elementsEqual("AWS_REGION".utf8)
            return isRegion ? region ?? environment.variable(name) : environment.variable(name)
          })
        return DynamoDBStore(DynamoDBClient(table: table, transport: transport, pace: SystemPace()))
      }
    }
  }
}
