import { WebSocket } from 'ws';

/** A browser that has used the link. */
export class Browser {
  readonly #origin: string;
  readonly #cookie: string;

  private constructor(origin: string, cookie: string) {
    this.#origin = origin;
    this.#cookie = cookie;
  }

  static async open(link: string): Promise<Browser> {
    const { origin, hash } = new URL(link);
    const body = JSON.stringify({ key: hash.slice('#key='.length) });
    const headers = { origin, 'content-type': 'application/json' };
    const response = await fetch(`${origin}/session`, { method: 'POST', headers, body });
    return new Browser(origin, (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '');
  }

  async ask(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
    return await fetch(this.#origin + path, {
      method,
      headers: { origin: this.#origin, cookie: this.#cookie, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  webSocket(path: string, token: string): WebSocket {
    const headers = { origin: this.#origin, cookie: this.#cookie };
    return new WebSocket(this.#origin.replace('http', 'ws') + path, ['binary', `groundcrew.token.${token}`], {
      headers,
    });
  }
}
