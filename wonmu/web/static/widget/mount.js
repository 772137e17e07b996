import { Chat } from "./chat.js";
import { Server } from "./server.js";
import { button, make } from "./view.js";

/** Put the widget of `script` into its page. */
export async function mount(script) {
  const home = new URL(script.src);
  const server = new Server(home, script.dataset.hospital || "");
  const config = await server.ask("GET", "/widget");
  const target = script.dataset.target && document.getElementById(script.dataset.target);
  const host = make("div");
  const root = host.attachShadow({ mode: "open" });
  const style = make("link");
  style.rel = "stylesheet";
  style.href = new URL("widget.css", home).href;
  const box = make("div", target ? "box inline" : "box corner");
  box.hidden = true;
  style.onload = () => {
    box.hidden = false;
  };
  box.lang = document.documentElement.lang;
  root.append(style, box);
  const opener = target ? null : button("primary opener", config.texts.open, () => show(true));
  const chat = new Chat(server, config.texts, config.text_chars, !target, () => show(false));
  box.append(chat.view.panel);
  if (opener) {
    box.append(opener);
    show(false, true);
    chat.view.panel.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.isComposing) show(false);
    });
  }
  if (target) target.replaceChildren(host);
  else document.body.append(host);

  function show(wanted, first) {
    chat.view.panel.hidden = !wanted;
    opener.hidden = wanted;
    opener.setAttribute("aria-expanded", String(wanted));
    if (first) return;
    if (!wanted) opener.focus();
    else if (chat.view.form.hidden) chat.view.starter.focus();
    else chat.view.input.focus();
  }
}
