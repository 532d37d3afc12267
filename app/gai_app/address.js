// The study is in the address, and the whole desk in the storage of this tab: a reload, a second
// tab, a server that was started anew show the same. A study too long for an address lies in the
// storage of the browser, under the key that the address has.

const DESK = "gai-desk", LONG = "gai-study-", MOST_LONG = 20;
// Streamlit tells its components the colours of the theme; the style of the page needs them too.
const COLOURS = ["--st-background-color", "--st-secondary-background-color", "--st-border-color", "--st-primary-color"];
const gai = globalThis.gaiAddress ??= { session: "", query: "" };

export default function address({ data, setStateValue, parentElement }) {
  colour(parentElement);
  if (gai.opened !== undefined && gai.opened !== data.opened) document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
  gai.opened = data.opened ?? gai.opened;
  if (gai.session !== data.session) { // the page or the server is new
    gai.session = data.session;
    const desk = stored(sessionStorage, DESK), long = stored(localStorage, LONG + parameter("kept"));
    if (desk || parameter("kept")) {
      gai.waits = true;
      setStateValue("found", { session: data.session, desk, long });
      return;
    }
  }
  if (gai.waits && !data.restored) return; // the desk on the server is not yet this tab's
  gai.waits = false;
  if (store(sessionStorage, DESK, data.desk)) globalThis.gaiSheets?.stored?.(data.session, data.seen);
  if (data.long) keepLong(data.key, data.long);
  const query = new URLSearchParams(data.query);
  const here = new URLSearchParams(location.search);
  for (const name of data.names) here.delete(name);
  for (const [name, value] of query) here.set(name, value);
  const search = here.size ? `?${here}` : "";
  if (search !== location.search) history.replaceState(history.state, "", location.pathname + search + location.hash);
}

// All are read before any is written, and only what has changed: else the page is styled anew each time.
function colour(parent) {
  const found = getComputedStyle(parent), root = document.documentElement.style;
  const changed = COLOURS.map(name => [name, found.getPropertyValue(name)]).filter(([name, value]) => root.getPropertyValue(name) !== value);
  for (const [name, value] of changed) root.setProperty(name, value);
}

function parameter(name) { return new URLSearchParams(location.search).get(name) ?? ""; }

function stored(storage, key) { try { return storage.getItem(key) ?? ""; } catch { return ""; } }

function store(storage, key, text) { try { storage.setItem(key, text); return true; } catch { return false; } }

// The last few, so that the storage does not fill up.
function keepLong(key, text) {
  const keys = stored(localStorage, `${LONG}keys`).split(" ").filter(known => known && known !== key);
  for (const old of keys.splice(0, keys.length - MOST_LONG + 1)) localStorage.removeItem(LONG + old);
  if (store(localStorage, LONG + key, text)) store(localStorage, `${LONG}keys`, [...keys, key].join(" "));
}
