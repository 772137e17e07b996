/** The server, and where the token is kept. */

export class Server {
  /** `home`: URL of the server. */
  constructor(home, hospital) {
    this.api = home.origin + "/api/v1/hospitals/" + encodeURIComponent(hospital);
    this.socketUrl = this.api.replace(/^http/, "ws") + "/ws";
    this.key = "wonmu-chat:" + home.origin + ":" + hospital;
    this.held = null;
  }

  /** The token lives as long as the tab; where a browser forbids that, as long as the page. */
  get token() {
    try {
      return sessionStorage.getItem(this.key);
    } catch {
      return this.held;
    }
  }

  set token(token) {
    this.held = token;
    try {
      if (token === null) sessionStorage.removeItem(this.key);
      else sessionStorage.setItem(this.key, token);
    } catch {
      // forbidden by the browser; the copy above does
    }
  }

  /** The answer, or an exception that has `code` and `message` when the server said why not. */
  async ask(method, path, token) {
    const headers = {};
    if (token) headers["Authorization"] = "Bearer " + token;
    if (method === "POST") headers["Content-Type"] = "application/json";
    const answer = await fetch(this.api + path, {
      method: method,
      headers: headers,
      body: method === "POST" ? "{}" : undefined,
      credentials: "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
    });
    const body = answer.status === 204 ? {} : await answer.json();
    if (!answer.ok) throw body.error || {};
    return body;
  }
}

export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
