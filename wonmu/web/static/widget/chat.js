import { Record, pause } from "./record.js";
import { newId } from "./server.js";
import { View } from "./view.js";

/** One conversation: the socket, what it brings, and what it takes. */
export class Chat {
  constructor(server, texts, chars, floating, close) {
    this.server = server;
    this.texts = texts;
    this.record = new Record();
    this.sent = new Map();
    this.token = server.token;
    this.socket = null;
    this.tries = 0;
    this.timer = 0;
    this.open = false;
    this.view = new View(texts, chars, floating, {
      start: () => this.start(),
      say: (text) => this.say(text),
      forget: () => this.forget(),
      close: close,
    });
    window.addEventListener("online", () => this.hurry());
    if (this.token) this.connect();
  }

  async start() {
    if (this.starting) return;
    this.starting = true;
    this.view.starter.disabled = true;
    this.view.say(this.texts.opening, true);
    try {
      const begun = await this.server.ask("POST", "/conversations");
      this.drop();
      this.view.clear();
      this.record = new Record();
      this.token = begun.conversation;
      this.server.token = this.token;
      this.tries = 0;
      this.connect();
      this.view.input.focus();
    } catch (error) {
      this.view.say(error.code ? error.message : this.texts.failed);
    } finally {
      this.starting = false;
      this.view.starter.disabled = false;
    }
  }

  connect() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.drop();
    this.view.stage("talk");
    this.view.say(this.tries ? this.texts.lost : this.texts.opening, true);
    const socket = new WebSocket(this.server.socketUrl);
    this.socket = socket;
    socket.onopen = () => socket.send(JSON.stringify(this.record.hello(this.token)));
    socket.onmessage = (event) => {
      if (socket === this.socket) this.take(JSON.parse(event.data));
    };
    socket.onclose = () => {
      if (socket === this.socket) this.lost();
    };
  }

  drop() {
    const socket = this.socket;
    this.socket = null;
    this.open = false;
    if (socket) socket.close();
  }

  lost() {
    this.socket = null;
    this.open = false;
    if (!this.token || this.over) return;
    this.view.say(this.texts.lost, true);
    this.timer = setTimeout(() => this.connect(), pause(this.tries, Math.random()));
    this.tries += 1;
  }

  hurry() {
    if (this.timer) this.connect();
  }

  take(frame) {
    switch (frame.type) {
      case "ready":
        return this.ready(frame.visit);
      case "message":
        return this.message(frame);
      case "typing":
        return this.view.say(this.texts.typing, true);
      case "waiting":
        return this.view.quiet();
      case "ended":
        return this.ended(frame.reason);
      case "error":
        return this.error(frame);
    }
  }

  ready(visit) {
    const next = this.record.ready(visit);
    this.open = true;
    this.over = false;
    this.view.stage("talk");
    this.view.say(this.tries ? this.texts.back : "");
    this.tries = 0;
    next.unsent.forEach((id) => this.view.unsent(id, this.sent.get(id)));
    next.again.forEach((frame) => this.socket.send(JSON.stringify(frame)));
    if (next.resumed) this.view.line(this.texts.resumed);
  }

  message(frame) {
    switch (this.record.take(frame)) {
      case "mine":
        this.sent.delete(frame.client_id);
        break;
      case "new":
        this.view.bubble(frame.from, frame.text);
        break;
    }
  }

  ended(reason) {
    this.over = true;
    this.drop();
    if (reason === "shutdown") {
      this.over = false;
      return this.lost();
    }
    if (reason === "forgotten") return this.finished(this.texts.forgotten);
    this.view.stage("over");
    this.view.say(reason === "idle" ? this.texts.idle : this.texts.closed);
  }

  error(frame) {
    if (frame.code === "unknown") return this.finished(this.texts.gone);
    if (frame.client_id && this.record.refused(frame.client_id)) {
      this.view.unsent(frame.client_id, this.sent.get(frame.client_id));
    }
    this.view.say(frame.message);
  }

  /** True when the words are on their way, so that they can leave the input. */
  say(text) {
    if (this.over) {
      // First back into the conversation: the words may not fit what it says on coming back.
      this.over = false;
      this.connect();
      return false;
    }
    if (!this.token) return false;
    const id = newId();
    const frame = this.record.add(id, text);
    this.sent.set(id, text);
    this.view.bubble("visitor", text, id);
    if (this.open) this.socket.send(JSON.stringify(frame));
    return true;
  }

  async forget() {
    const token = this.token;
    try {
      await this.server.ask("DELETE", "/conversation", token);
    } catch (error) {
      if (error.code !== "unknown") return this.view.say(error.message || this.texts.failed);
    }
    if (token === this.token) this.finished(this.texts.forgotten);
  }

  finished(words) {
    clearTimeout(this.timer);
    this.over = false;
    this.token = null;
    this.server.token = null;
    this.drop();
    [...this.record.pending.keys()].forEach((id) => this.view.unsent(id));
    this.record = new Record();
    this.view.stage("new");
    this.view.starter.textContent = this.texts.again;
    this.view.say(words);
    this.view.starter.focus();
  }
}
