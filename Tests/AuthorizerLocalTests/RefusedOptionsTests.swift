import Testing

/// Command lines that are refused before anything is read, by text and exit code.
@Suite struct RefusedOptionsTests {
  @Test(
    arguments: [
      "serve --port 70000": "--port must be from 0 to 65535",
      "serve --concurrency 0": "--concurrency must be from 1 to 100",
      "serve --concurrency 101": "--concurrency must be from 1 to 100",
      "serve --parameter Stage": "--parameter needs NAME=VALUE, found Stage",
      "serve --run =x": "--run needs FUNCTION=COMMAND, found =x",
      "serve --clock soon": "--clock must be a time such as 2026-11-21T10:00:00Z or +10m, found soon",
      "serve --clock 1h":
        "--clock must be a time such as 2026-11-21T10:00:00Z or +10m, found 1h; did you mean +1h?",
      "serve --backend ftp://x":
        "--backend must be echo, template, or an origin such as http://127.0.0.1:3000",
      "serve --client-ca ca.pem": "--client-ca needs --tls",
      "serve --timeout 901 --port 70000":
        "--timeout must be greater than 0 and at most 900 seconds, the limit of Lambda",
      "invoke": "name an event file, or - for standard input",
      "invoke e.json --expect yes": "--expect must be one of allowed, forbidden, unauthorized, failure",
      "invoke e.json --env NAME": "--env needs NAME=VALUE, found NAME",
      "invoke e.json --env =": "--env needs NAME=VALUE, found =",
      "invoke e.json --timeout 0":
        "--timeout must be greater than 0 and at most 900 seconds, the limit of Lambda",
      "invoke e.json --function f --zip z": "give --function or --zip, not both",
      "invoke e.json --handler a.py:f --zip z": "give --handler, or --function or --zip, not both",
      "invoke e.json --handler a.py":
        "--handler needs PATH:FUNCTION, such as app.py:handler or .:app.handler, found a.py",
      "invoke e.json --handler a.py:":
        "--handler needs PATH:FUNCTION, such as app.py:handler or .:app.handler, found a.py:",
      "invoke e.json --handler a.py:f --memory 64": "--memory must be 128 to 10240 MB, the limits of Lambda",
      "invoke e.json --handler :f":
        "--handler needs PATH:FUNCTION, such as app.py:handler or .:app.handler, found :f",
      "test --handler Own=a.py:f": "--handler needs PATH:FUNCTION here, without a name, found Own=a.py:f",
      "test --handler a.py:f --handler b.py:f": "give one --handler without a name",
      "test --key-set https://a.example/k": "--key-set needs --handler",
      "serve --key-set https://a.example/k": "--key-set needs --handler or --run-functions",
      "invoke e.json --handler a.py:f --key-set http://a.example/k":
        "--key-set needs an https:// address such as https://id.example.com/jwks.json, found http://a.example/k",
      "invoke e.json --handler a.py:f --key-set https:///k":
        "--key-set needs an https:// address such as https://id.example.com/jwks.json, found https:///k",
      "invoke e.json --handler a.py:f --key-set https://a.example/k --real-keys":
        "--key-set answers with the development keys: omit --real-keys",
      "serve --handler A=a.py:f --handler A=b.py:f": "--handler has A twice",
      "test --handler a.py:f --config c.json":
        "--config is for this project's authorizer, and --handler runs another one",
      "bench --handler Own=a.py:f": "--handler needs PATH:FUNCTION here, without a name, found Own=a.py:f",
      "serve --kind http2 --run-functions":
        "--kind serves no template: omit --template, --parameter, --run-functions and --template-variables",
      "serve --kind http2 --template-variables":
        "--kind serves no template: omit --template, --parameter, --run-functions and --template-variables",
      "serve --kind http1 --simple-responses": "--simple-responses needs --kind http2",
      "serve --simple-responses": "--simple-responses needs --kind http2",
      "serve --guests": "--guests needs --kind",
      "serve --kind restToken --guests":
        "API Gateway invokes no TOKEN authorizer without a token; use restRequest",
      "invoke e.json --ttl 3601": "--ttl must be between 0 and 3600 seconds, the limit of API Gateway",
      "test --template t.yaml --simple-responses": "give --template or --simple-responses, not both",
      "invoke e.json --template t.yaml --no-simple-responses":
        "give --template or --simple-responses, not both",
      "test --parameter A=b": "--parameter needs --template",
      "invoke e.json --assume returned-unauthorized": "returned-unauthorized must be one of 401, 500",
      "test --repeat 0": "--repeat must be at least 1",
      "test --concurrency 65": "--concurrency must be between 1 and 64",
      "token": "give the name of a token in tokens.json, or --preset",
      "token good --subject s": "a named token takes no other claims; change tokens.json, or use --preset",
      "token --preset apple --expires 10m":
        "--expires must be a time such as 2026-11-21T10:00:00Z or +10m, found 10m; did you mean +10m?",
      "token --preset apple --claim =x": "--claim needs NAME=VALUE, found =x",
      "token good --bind dpop": "a named token takes no other claims; change tokens.json, or use --preset",
      "token --preset apple --bind key": "--bind must be dpop or certificate=FILE, found key",
      "token --preset apple --bind certificate=":
        "--bind must be dpop or certificate=FILE, found certificate=",
      "token --preset apple --bind dpop --bind dpop": "give each kind of --bind once",
      "token --preset apple --bind dpop --claim cnf={}": "--bind makes the claim cnf: omit --claim cnf",
      "proof --url pets --token a.b.c":
        "--url must be a URL such as https://api.example.com/pets, found pets",
      "proof --url https://a.example/ --token good":
        "--token must be the token itself; authorizer-local token prints one",
      "proof --url https://a.example/ --token a.b.c -X G=T":
        "--method must be a method such as GET, found G=T",
      "event --proof https://a.example/prod/x": "--proof needs --token NAME",
      "event --token t --proof --kind restToken https://a.example/prod/x":
        "an event of restToken carries no proof; use restRequest, http1 or http2",
      "event --token t --proof -H DPoP:x https://a.example/prod/x": "give --proof or a DPoP header, not both",
      "explain token --clock later":
        "--clock must be a time such as 2026-11-21T10:00:00Z or +10m, found later",
      "explain token --jwks k --real-keys": "give --jwks or --real-keys, not both",
      "evaluate p.json": "give --arn ARN (the requested method or route) or --lint",
      "evaluate p.json --lint --clock 10m":
        "--clock must be a time such as 2026-11-21T10:00:00Z or +10m, found 10m; did you mean +10m?",
      "bench --cold 0": "--cold must be at least 1 and at most 10000000",
      "bench --tokens 10001": "--tokens must be at most 10000: each one is signed before the measurement",
      "bench --log-level LOUD": "--log-level must be one of TRACE, DEBUG, INFO, WARN, ERROR, FATAL",
      "bench --floor f --no-floor": "--floor and --no-floor cannot be combined",
      "doctor --parameter x": "--parameter needs NAME=VALUE, found x",
      "doctor --accept nothing": "--accept: there is no finding nothing",
      "doctor --accept configurationInvalid":
        "--accept: configurationInvalid is an error; only warnings can be accepted",
      "package --name Upper": "--name must be 1 to 64 lowercase letters, digits and hyphens",
      "keys fetch": "give the address of a key set, a preset, or --discover ISSUER",
      "keys fetch apple --discover x": "give the address of a key set, a preset, or --discover ISSUER",
      "keys fetch apple --timeout 0": "--timeout must be from 0.001 to 3600 seconds",
      "keys fetch apple --minimum-rsa-exponent 1": "--minimum-rsa-exponent must be from 3 to 65537",
      "event --account 1 https://h/s": "--account must be 12 digits, found 1",
      "event -H name https://h/s": "-H needs 'Name: value', found name",
      "event -b name https://h/s": "--cookie needs name=value, found name",
      "event --token good -H Authorization:x https://h/s":
        "give --token or an Authorization header, not both",
    ] as [String: String])
  func namesTheOption(_ line: String, _ message: String) async throws {
    let recorded = try RecordedMachine()
    let exit = await recorded.run(words: line)
    #expect(exit == 64)
    let words = line.split(separator: " ")
    let depth = ["keys", "config"].contains(words[0]) ? 2 : 1
    let command = words.prefix(depth).joined(separator: " ")
    #expect(recorded.notes == "error: \(message)\nhint: see authorizer-local help \(command)\n")
    #expect(recorded.answer == "")
  }
}
