// The journal: what was typed and is not on the desk yet that the tab keeps (`address.js`). After a
// reload, or when the server was started anew, the desk is put back first; then this is sent again.

const JOURNAL = "gai-journal", DESK = "gai-desk";

function journal() {
  return gai.journal ??= found() ?? { address: location.search, edits: [] };
}

// Only for the study that the address had when the page was left.
function found() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(JOURNAL));
    return location.search && kept?.address === location.search ? kept : null;
  } catch {
    return null;
  }
}

function store() {
  journal().address = location.search;
  try {
    sessionStorage.setItem(JOURNAL, JSON.stringify(journal()));
  } catch { /* no room, or not allowed: the page works without */ }
}

function record(edit) {
  if (edit.step === "saved") return;
  const { edits } = journal();
  const last = edits.at(-1);
  if (last?.path !== undefined && last.path === edit.path) edits.pop();
  edits.push(edit);
  store();
}

// The desk with all edits up to this one is in the storage of the tab.
function stored(session, seen) {
  if (session !== gai.of) return;
  journal().edits = journal().edits.filter(edit => edit.n > seen);
  store();
}

// A new session must have the desk before it gets more. `address.js`, which may come before this or
// after it, sends the one that it finds; then it stores the desk of this session.
function awaitsDesk(data) {
  if (data.restored) return false;
  const address = globalThis.gaiAddress;
  if (address?.session === data.of) return Boolean(address.waits);
  try {
    return Boolean(sessionStorage.getItem(DESK));
  } catch {
    return false;
  }
}

// Another session of the server: what it cannot know is sent again, numbered anew.
function begin() {
  const { edits } = journal();
  edits.forEach((edit, i) => { edit.n = gai.newest[edit.sheet] = i + 1; });
  gai.seen = gai.sent = 0;
  gai.n = edits.length;
  gai.edits = [...edits];
}
