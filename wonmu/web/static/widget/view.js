export function make(tag, name, text) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  return node;
}

export function button(name, text, act) {
  const node = make("button", name, text);
  node.type = "button";
  node.addEventListener("click", act);
  return node;
}

/** What is on the screen. It decides nothing about the talk. */
export class View {
  constructor(texts, chars, floating, acts) {
    this.texts = texts;
    this.chars = chars;
    this.acts = acts;
    this.bubbles = new Map();
    this.panel = make("section", "panel");
    this.panel.setAttribute("aria-label", texts.title);
    this.build(floating);
    this.stage("new");
  }

  build(floating) {
    const t = this.texts;
    const head = make("header", "head");
    head.append(make("h2", "title", t.title));
    if (floating) {
      this.closer = button("icon", "✕", () => this.acts.close());
      this.closer.setAttribute("aria-label", t.close);
      head.append(this.closer);
    }
    this.log = make("div", "log");
    this.log.setAttribute("role", "log");
    this.log.setAttribute("aria-live", "polite");
    this.log.setAttribute("aria-label", t.talk);
    this.log.tabIndex = 0;
    this.status = make("p", "status");
    this.status.setAttribute("role", "status");
    this.panel.append(head, make("p", "notice", t.notice), this.log, this.status);
    this.panel.append(this.buildStart(), this.buildForm(), this.buildSure());
  }

  buildStart() {
    this.starter = button("primary wide", this.texts.start, () => this.acts.start());
    return this.starter;
  }

  buildForm() {
    const t = this.texts;
    this.form = make("form", "form");
    const label = make("label", "hidden", t.label);
    label.htmlFor = "text";
    this.input = make("textarea", "input");
    this.input.id = "text";
    this.input.rows = 1;
    this.input.maxLength = this.chars;
    this.input.placeholder = t.placeholder;
    this.input.enterKeyHint = "send";
    const send = make("button", "primary", t.send);
    send.type = "submit";
    const row = make("div", "row");
    row.append(label, this.input, send);
    this.extras = make("div", "extras");
    this.extras.append(
      button("plain", t.person, () => this.acts.say(t.person_words)),
      button("plain", t.end, () => this.sure(true)),
    );
    this.form.append(row, this.extras);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("input", () => this.grow());
    return this.form;
  }

  buildSure() {
    const t = this.texts;
    this.asking = make("div", "sure");
    this.asking.setAttribute("role", "group");
    this.asking.setAttribute("aria-label", t.end);
    const row = make("div", "extras");
    this.keep = button("plain", t.no, () => this.sure(false));
    row.append(
      button("primary", t.yes, () => {
        this.sure(false);
        this.acts.forget();
      }),
      this.keep,
    );
    this.asking.append(make("p", "", t.end_sure), row);
    this.asking.hidden = true;
    return this.asking;
  }

  /** "new": nothing begun. "talk": words can be sent. "over": as talk, or begin anew. */
  stage(stage) {
    this.starter.hidden = stage === "talk";
    this.starter.textContent = stage === "over" ? this.texts.again : this.texts.start;
    this.form.hidden = stage === "new";
    this.extras.hidden = stage !== "talk";
    if (stage !== "talk") this.asking.hidden = true;
  }

  sure(wanted) {
    this.asking.hidden = !wanted;
    this.down();
    (wanted ? this.keep : this.input).focus();
  }

  /** Enter sends, but not the Enter that ends the composing of a syllable. */
  key(event) {
    if (event.key !== "Enter" || event.shiftKey) return;
    if (event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    this.submit();
  }

  submit() {
    const text = this.input.value.trim();
    if (!text || !this.acts.say(text)) return;
    this.input.value = "";
    this.grow();
    this.input.focus();
  }

  grow() {
    this.input.style.height = "auto";
    this.input.style.height = Math.min(this.input.scrollHeight + 4, 132) + "px";
  }

  say(text, busy) {
    if (this.status.textContent !== text) this.status.textContent = text;
    this.status.classList.toggle("busy", Boolean(busy));
    this.down();
  }

  /** Nothing is under way any more; a sentence that was no progress stays. */
  quiet() {
    if (this.status.classList.contains("busy")) this.say("");
  }

  bubble(by, text, id) {
    const mine = by === "visitor";
    const node = make("div", "bubble " + (mine ? "mine" : "theirs"));
    node.append(make("span", "hidden", (mine ? this.texts.visitor : this.texts.desk) + ": "));
    node.append(make("span", "words", text));
    this.log.append(node);
    if (id) this.bubbles.set(id, node);
    this.down();
  }

  line(text) {
    this.log.append(make("p", "line", text));
    this.down();
  }

  /** A message that did not arrive; with its `text` it can be sent again by hand. */
  unsent(id, text) {
    const node = this.bubbles.get(id);
    if (!node) return;
    this.bubbles.delete(id);
    node.classList.add("unsent");
    const row = make("span", "again");
    row.append(make("span", "", this.texts.unsent + " "));
    if (text !== undefined) {
      row.append(
        button("plain", this.texts.resend, () => {
          if (this.acts.say(text)) node.remove();
        }),
      );
    }
    node.append(row);
    this.down();
  }

  clear() {
    this.log.replaceChildren();
    this.bubbles.clear();
  }

  down() {
    this.log.scrollTop = this.log.scrollHeight;
  }
}
