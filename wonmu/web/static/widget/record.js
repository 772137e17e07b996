/** What needs neither a page nor a network, so that it can be tested by itself. */

/** What this browser knows of a conversation. No page, no network: it can be tested by itself. */
export class Record {
  constructor() {
    this.visit = null;
    this.last = 0;
    this.pending = new Map();
  }

  hello(token) {
    return { type: "hello", token: token, visit: this.visit, after: this.last };
  }

  /**
   * The server has opened a visit. In the same one, what was not confirmed goes out again under
   * its old name. In another one it does not: it was meant for words of the earlier visit.
   */
  ready(visit) {
    const before = [...this.pending.keys()];
    const resumed = this.visit !== null && this.visit !== visit;
    if (this.visit !== visit) {
      this.visit = visit;
      this.last = 0;
      this.pending.clear();
      return { resumed: resumed, again: [], unsent: before };
    }
    return { resumed: false, again: before.map((id) => this.frame(id)), unsent: [] };
  }

  add(id, text) {
    this.pending.set(id, text);
    return this.frame(id);
  }

  frame(id) {
    return { type: "message", text: this.pending.get(id), client_id: id, visit: this.visit };
  }

  /** "known": seen before. "mine": the echo of what was sent here. "new": to be shown. */
  take(message) {
    if (message.seq <= this.last) return "known";
    this.last = message.seq;
    return this.pending.delete(message.client_id) ? "mine" : "new";
  }

  refused(id) {
    return this.pending.delete(id);
  }
}

/** Milliseconds before the next try; `chance` from 0 to 1 keeps browsers from coming at once. */
export function pause(tries, chance) {
  return Math.min(15000, 1000 * 2 ** Math.min(tries, 4)) * (0.5 + chance / 2);
}
