// The journal: what was typed since the study of the address was written. A reload, or a server
// that was started anew, begins with the study of the address, and gets these edits once more.
// Streamlit shows the page's own address now and then without a study: that is no other study.

const JOURNAL = "gai-journal";

function journal() {
  return gai.journal ??= { address: location.search, seen: 0, edits: [] };
}

// All that the server had seen when it wrote another address is in that address.
function reconcile() {
  const kept = gai.journal;
  if (!kept || !location.search || kept.address === location.search) return;
  kept.address = location.search;
  kept.edits = kept.edits.filter(edit => edit.n > kept.seen);
}

function store() {
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

function leave() {
  reconcile();
  store();
}

// Another session of the server: what it cannot know is sent again, numbered anew.
function begin() {
  if (!gai.journal) {
    let found = null;
    try {
      found = JSON.parse(sessionStorage.getItem(JOURNAL));
    } catch { /* as above */ }
    if (location.search && found?.address === location.search) gai.journal = found;
  }
  const kept = journal();
  reconcile();
  gai.newest = {};
  kept.edits.forEach((edit, i) => { edit.n = gai.newest[edit.sheet] = i + 1; });
  kept.seen = gai.seen = gai.sent = 0;
  gai.n = kept.edits.length;
  gai.edits = [...kept.edits];
}
