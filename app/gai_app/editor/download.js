// A file of the study as it was drawn last, made here: nothing is asked of the server at the click,
// so no redraw can take the file away before it has come. The click waits for what was typed (HELD).

function download(data, parent) {
  let button = parent.querySelector(":scope > .gai-button");
  if (!button) {
    const icon = make("span", { className: "gai-icon", textContent: "download", ariaHidden: true });
    button = make("button", { type: "button", className: "gai-button" }, icon, make("span"));
    button.addEventListener("click", () => save(button.gai));
    parent.append(button);
  }
  button.gai = data;
  button.title = data.help;
  button.lastChild.textContent = data.label;
}

function save({ name, content }) {
  const url = URL.createObjectURL(new Blob([content], { type: "application/toml" }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
  edited({ sheet: "saved", step: "saved" });
  flush();
}
