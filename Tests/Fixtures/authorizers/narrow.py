"""A TOKEN authorizer that allows exactly the route of the request: wrong while API Gateway caches its policy."""

USERS = {"open-sesame": "ali"}


def handler(event, context):
    user = USERS.get(event["authorizationToken"].removeprefix("Bearer "))
    if user is None:
        raise Exception("Unauthorized")
    statement = {"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": event["methodArn"]}
    return {"principalId": user, "policyDocument": {"Version": "2012-10-17", "Statement": [statement]}}
