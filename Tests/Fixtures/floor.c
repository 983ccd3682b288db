// The baseline of the benchmark: a minimal function of the Lambda Runtime API.
//
// It uses one connection, one read and one write for each invocation and each poll, and answers with a constant
// policy. Any time beyond this is the authorizer's own. `make bench` compiles it; see docs/performance.md.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static const char answer[] =
    "{\"principalId\":\"floor\",\"policyDocument\":{\"Version\":\"2012-10-17\",\"Statement\":[{\"Action\":"
    "\"execute-api:Invoke\",\"Effect\":\"Allow\",\"Resource\":[\"*\"]}]}}";

/// More than the 6 MiB of an event and the headers of the response that carries it.
static char buffer[8 << 20];
static size_t filled = 0;

static int connect_to(const char *address) {
  char host[64];
  const char *colon = strrchr(address, ':');
  if (colon == NULL || (size_t)(colon - address) >= sizeof host) return -1;
  memcpy(host, address, (size_t)(colon - address));
  host[colon - address] = 0;
  struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(colon + 1))};
  if (inet_pton(AF_INET, host, &peer.sin_addr) != 1) return -1;
  int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return connect(descriptor, (struct sockaddr *)&peer, sizeof peer) == 0 ? descriptor : -1;
}

static void send_all(int descriptor, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t sent = write(descriptor, bytes, count);
    if (sent <= 0) exit(69);
    bytes += sent;
    count -= (size_t)sent;
  }
}

/// The value of a header in the response at the beginning of the buffer; NULL if it is missing.
static const char *field(const char *name) {
  size_t length = strlen(name);
  for (char *line = strstr(buffer, "\r\n"); line != NULL && line[2] != '\r'; line = strstr(line + 2, "\r\n")) {
    if (strncasecmp(line + 2, name, length) == 0 && line[2 + length] == ':') return line + 3 + length + strspn(line + 3 + length, " ");
  }
  return NULL;
}

/// Reads one response; its headers are at the beginning of the buffer.
static void receive(int descriptor) {
  filled = 0;
  for (;;) {
    ssize_t count = read(descriptor, buffer + filled, sizeof buffer - 1 - filled);
    if (count <= 0) exit(69);
    filled += (size_t)count;
    buffer[filled] = 0;
    const char *end = strstr(buffer, "\r\n\r\n");
    if (end == NULL) continue;
    const char *length = field("content-length");
    if (filled >= (size_t)(end + 4 - buffer) + (length == NULL ? 0 : strtoul(length, NULL, 10))) return;
  }
}

int main(void) {
  const char *address = getenv("AWS_LAMBDA_RUNTIME_API");
  int descriptor = address == NULL ? -1 : connect_to(address);
  if (descriptor < 0) return 69;
  char next[256], post[1024];
  int next_size =
      snprintf(next, sizeof next, "GET /2018-06-01/runtime/invocation/next HTTP/1.1\r\nHost: %s\r\n\r\n", address);
  for (;;) {
    send_all(descriptor, next, (size_t)next_size);
    receive(descriptor);
    const char *id = field("lambda-runtime-aws-request-id");
    if (id == NULL) return 76;
    int post_size = snprintf(
        post, sizeof post,
        "POST /2018-06-01/runtime/invocation/%.*s/response HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"
        "Content-Length: %zu\r\n\r\n%s",
        (int)strcspn(id, "\r"), id, address, sizeof answer - 1, answer);
    if (post_size < 0 || (size_t)post_size >= sizeof post) return 76;
    send_all(descriptor, post, (size_t)post_size);
    receive(descriptor);
  }
}
