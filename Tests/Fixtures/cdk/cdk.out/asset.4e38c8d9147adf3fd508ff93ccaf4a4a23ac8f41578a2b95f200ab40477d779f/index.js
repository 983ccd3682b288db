exports.handler = async (event) => ({
  statusCode: 200,
  body: JSON.stringify({ route: event.routeKey ?? `${event.httpMethod} ${event.resource}` }),
});
