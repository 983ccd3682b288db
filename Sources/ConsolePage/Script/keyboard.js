
// ---- Keyboard
//
// The keys stand in the dialog "Help". They do nothing while the reader writes into a field.

const VIEW_KEYS = { 1: "#/", 2: "#/matrix", 3: "#/request", 4: "#/state", 5: "#/findings" };

const isField = (target) => target instanceof Element && target.closest("input, select, textarea") !== null;

/** The keys of the list. Each is a distance in rows. */
const MOVES = {
  ArrowDown: () => 1,
  j: () => 1,
  ArrowUp: () => -1,
  k: () => -1,
  PageDown: () => list.page,
  PageUp: () => -list.page,
  Home: () => -CAPACITY,
  End: () => CAPACITY,
};

let following;

function listKeys(event) {
  const distance = MOVES[event.key]?.();
  if (distance !== undefined) {
    event.preventDefault();
    const id = list.move(distance);
    // An open decision follows the list, after a pause: a held key passes over many rows.
    if (id && list.open) {
      clearTimeout(following);
      following = setTimeout(() => history.replaceState(null, "", `#/decisions/${id}`) ?? openFromList(id), 120);
    }
  } else if (event.key === "Enter" && list.active && event.target === byID("list")) {
    choose(list.active);
  }
}

async function openFromList(id) {
  list.open = id;
  list.redraw();
  list.focus();
  await showDecision(id);
}

const DECISION_KEYS = { r: (decision) => openReplay(decision), t: (decision) => openTest(decision) };

function pageKeys(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") return leave(event);
  if (isField(event.target)) return;
  const inList = view.name === "decisions";
  if (event.key === "?") byID("help").showModal();
  else if (VIEW_KEYS[event.key]) go(VIEW_KEYS[event.key]);
  else if (event.key === "/" && inList) byID("filter-form").elements.text.focus();
  else if (event.key === "p" && inList) togglePause();
  else if (event.key === "c" && inList && (list.open || list.active)) mark(
    byID("detail").contains(document.activeElement) ? list.open : list.active || list.open
  );
  else if ((event.key === "j" || event.key === "k") && inList) return listKeys(event);
  else if (DECISION_KEYS[event.key] && inList && list.open && shown) DECISION_KEYS[event.key](shown);
  else return;
  event.preventDefault();
}

/** Escape leaves a field of the filters, then the open decision. */
function leave(event) {
  if (byID("filter-form").contains(event.target)) {
    list.focus();
  } else if (list.open && view.name === "decisions") {
    go("#/");
  } else {
    return;
  }
  event.preventDefault();
}
