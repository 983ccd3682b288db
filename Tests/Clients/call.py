"""Calls a function with boto3 and prints boto3's result as one JSON object.

usage: call.py ENDPOINT CALL, where CALL is a JSON object with the arguments of invoke
"""

import base64
import json
import sys

import boto3
import botocore.config
import botocore.exceptions

client = boto3.client(
    "lambda",
    endpoint_url=sys.argv[1],
    region_name="us-east-1",
    aws_access_key_id="test",
    aws_secret_access_key="test",
    config=botocore.config.Config(retries={"total_max_attempts": 1}),
)
arguments = json.loads(sys.argv[2])
size = arguments.pop("PayloadBytes", None)
if size is not None:
    arguments["Payload"] = b'{"pad":"' + b"x" * (size - 10) + b'"}'
try:
    answer = client.invoke(**arguments)
    print(
        json.dumps(
            {
                "StatusCode": answer["StatusCode"],
                "FunctionError": answer.get("FunctionError"),
                "ExecutedVersion": answer.get("ExecutedVersion"),
                "Log": base64.b64decode(answer.get("LogResult", "")).decode(),
                "Payload": answer["Payload"].read().decode(),
                "RequestId": answer["ResponseMetadata"]["RequestId"],
            }
        )
    )
except botocore.exceptions.ClientError as error:
    print(
        json.dumps(
            {
                "StatusCode": error.response["ResponseMetadata"]["HTTPStatusCode"],
                "Code": error.response["Error"]["Code"],
                "Message": error.response["Error"]["Message"],
                "Class": type(error).__name__,
            }
        )
    )
