
// ---- Decisions
//
// Summaries of the latest decisions. Only they are stored: the page's memory does not grow with what a decision has.

/** The most decisions that the page stores, which is the gateway's own limit. */
const CAPACITY = 500;

/** The latest decisions in the order of their IDs. While paused, new ones wait. */
class DecisionStore {
  #shown = new Map();
  #waiting = new Map();
  paused = false;
  /** The largest ID that was seen. */
  newest = 0;
  /** Called after each change, at most once in a frame. */
  onChange = () => {};
  #scheduled = false;

  /** Adds decisions. One that is known already is replaced. */
  add(decisions) {
    const target = this.paused ? this.#waiting : this.#shown;
    for (const decision of decisions) {
      target.set(decision.id, decision);
      this.newest = Math.max(this.newest, decision.id);
    }
    DecisionStore.#trim(target);
    this.#changed();
  }

  /** Decisions can arrive out of order once: the first page and the stream start together. */
  static #trim(map) {
    if (map.size <= CAPACITY) return;
    const excess = [...map.keys()].sort((a, b) => a - b).slice(0, map.size - CAPACITY);
    for (const id of excess) map.delete(id);
  }

  /** All shown decisions, newest first. */
  newestFirst() {
    return [...this.#shown.values()].sort((a, b) => b.id - a.id);
  }

  get waitingCount() {
    return this.#waiting.size;
  }

  get size() {
    return this.#shown.size;
  }

  setPaused(paused) {
    this.paused = paused;
    if (!paused) {
      const waiting = [...this.#waiting.values()];
      this.#waiting.clear();
      this.add(waiting);
    }
    this.#changed();
  }

  clear() {
    this.#shown.clear();
    this.#waiting.clear();
    this.newest = 0;
    this.#changed();
  }

  // A timer and not a frame: a page in the background has no frames.
  #changed() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setTimeout(() => {
      this.#scheduled = false;
      this.onChange();
    }, 16);
  }
}

const store = new DecisionStore();

// ---- The live stream

/** Loads the stored decisions. If serve was restarted, its IDs begin at 1 again and the old ones are gone. */
async function loadDecisions() {
  const page = await getJSON(`/dev/decisions?after=0&limit=${CAPACITY}&view=summary`);
  if (page.newest < store.newest) store.clear();
  store.add(page.decisions);
}

function setConnection(state, text) {
  const shown = byID("connection");
  shown.dataset.state = state;
  setText(shown, text);
}

/** Shows what to do in place of the views while the secret is missing. */
function setLocked(isLocked) {
  byID("locked").hidden = !isLocked;
  byID("main").hidden = isLocked;
}

/** The time in milliseconds until another try, after a lost connection or a refused stream. */
const RETRY = 3000;

/** The events of the stream, one object each. Read by fetch: EventSource cannot send the secret. */
async function* streamedDecisions(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line.startsWith("data: ")) yield JSON.parse(line.slice(6));
  }
}

/** Follows new decisions, and connects again until the page is closed. */
async function followDecisions() {
  for (let isFirst = true; ; isFirst = false) {
    let reason = "serve does not answer; trying again";
    try {
      const response = await fetch("/dev/decisions/stream", { headers: secretHeaders() });
      setLocked(response.status === 403);
      if (!response.ok) {
        reason = response.status === 403 ? "locked" : (await response.json()).error;
      } else {
        // What was decided between the first page and the stream, or while the connection was lost.
        await loadDecisions();
        if (!isFirst) {
          await loadSession();
          refreshView();
        }
        setConnection("live", "live");
        for await (const decision of streamedDecisions(response.body)) store.add([decision]);
      }
    } catch (error) {
      if (error instanceof ServerError) reason = error.message;
    }
    setConnection("lost", reason);
    await new Promise((resolve) => setTimeout(resolve, RETRY));
  }
}
