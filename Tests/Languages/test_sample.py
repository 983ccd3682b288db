"""Ten tests of an API with the fixture of pytest: `make check-clients` runs them in two workers."""


def test_a_user_is_allowed(api):
    answer = api.get("/me", user="alice")
    assert (answer.status, answer.outcome) == (200, "allowed")
    assert answer.headers["x-backend"] == "echo"


def test_a_scope_is_enough(api):
    answer = api.get("/orders", user="alice", scope="read:orders")
    assert (answer.status, answer.rule["require"]) == (200, {"scopes": ["read:orders"]})


def test_a_claim_is_enough(api):
    answer = api.post("/orders", user="alice", claims={"plan": "gold"}, json={"item": 1})
    assert (answer.status, answer.json()["event"]["body"]) == (200, '{"item": 1}')


def test_without_a_token(api):
    answer = api.get("/me")
    assert (answer.status, answer.json(), answer.outcome) == (401, {"message": "Unauthorized"}, "unauthorized")


def test_with_another_token(api):
    answer = api.get("/me", token="guess")
    assert (answer.status, answer.reason) == (401, "malformedToken")


def test_without_the_scope(api):
    answer = api.get("/orders", user="alice")
    assert (answer.status, answer.reason) == (403, "insufficientScope")
    assert "read:orders" in answer.why and "reason=insufficientScope" in answer.log


def test_with_another_claim(api):
    assert api.post("/orders", user="alice", claims={"plan": "free"}).reason == "claimNotAllowed"
    assert api.last.status == 403


def test_a_token_expires(api):
    token = api.token("alice")
    assert api.get("/me", token=token).status == 200
    api.move_clock("+25h")
    answer = api.get("/me", token=token)
    assert (answer.status, answer.reason) == (401, "expired")


def test_answers_are_cached(api):
    token = api.token("alice")
    assert [api.get("/me", token=token).cached for _ in range(2)] == [False, True]
    assert api.flush_cache() == 1
    assert not api.get("/me", token=token).cached
    api.move_clock("+301s")
    assert not api.get("/me", token=token).cached


def test_another_api(api):
    answer = api.get("/me", user="bob", api="Users")
    assert (answer.status, answer.decision["stage"], answer.decision["user"]) == (200, "prod", "bob")
    assert api.get("/me", api="Users/prod").status == 401
