def handler(event, context):
    """Lets one token pass: as a policy for a REST API, as a simple answer for an HTTP API."""
    if event.get("version") == "2.0":
        token = event["headers"].get("authorization")
        return {"isAuthorized": token == "Bearer open-sesame", "context": {"plan": "gold"}}
    if event["authorizationToken"] == "Bearer closed":
        return policy("Deny")
    if event["authorizationToken"] != "Bearer open-sesame":
        raise Exception("Unauthorized")
    return policy("Allow")


def policy(effect):
    statement = {"Action": "execute-api:Invoke", "Effect": effect, "Resource": "*"}
    return {"principalId": "gold", "policyDocument": {"Version": "2012-10-17", "Statement": [statement]}}
