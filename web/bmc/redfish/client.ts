import { asProblem, Problem, problemOf } from './problem.ts';
import type { Role, Session } from './resources.ts';
import { ROLES, SESSION_SERVICE } from './uris.ts';

/** ms after which a request counts as lost. Power actions take up to 10 s. */
const TIMEOUT = 20_000;

export interface Answer<Body> {
  readonly body: Body;
  /** URI of what the request created. */
  readonly location: string | undefined;
}

/** Who is logged in. */
export interface Caller {
  readonly user: string;
  readonly role: string;
  readonly privileges: ReadonlySet<string>;
  /** URI of the session. */
  readonly session: string;
}

/** Requests of one session. Its token is in this object only: a reload of the page logs in again. */
export class Client {
  readonly caller: Caller;
  readonly #token: string;
  readonly #onEnd: (reason: string) => void;
  #hasEnded = false;

  constructor(token: string, caller: Caller, onEnd: (reason: string) => void) {
    this.#token = token;
    this.caller = caller;
    this.#onEnd = onEnd;
  }

  /** @throws Problem */
  async get<Body>(uri: string): Promise<Body> {
    return (await this.#request<Body>('GET', uri)).body;
  }

  /** @throws Problem */
  async send<Body = unknown>(method: 'POST' | 'PATCH' | 'DELETE', uri: string, body?: object): Promise<Answer<Body>> {
    return await this.#request<Body>(method, uri, body);
  }

  /** An answer whose body is read by the caller: an event stream or an image. @throws Problem */
  async open(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    const response = await ask(path, { headers: { ...headers, 'X-Auth-Token': this.#token }, signal });
    return await this.#checked(response);
  }

  /** Sub-protocols that log in a WebSocket of this BMC. */
  get protocols(): string[] {
    return ['binary', `groundcrew.token.${this.#token}`];
  }

  /** Ends the session at the BMC, and here in any case. The request outlives a page that is left. @param reason shown at the log-in */
  async logOut(reason = ''): Promise<void> {
    try {
      const headers = { 'X-Auth-Token': this.#token };
      if (!this.#hasEnded) await ask(this.caller.session, { method: 'DELETE', headers, keepalive: true });
    } catch {
      // Without an answer the session ends by its timeout.
    }
    this.end(reason);
  }

  /** Shows the log-in again. @param reason shown there */
  end(reason: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#onEnd(reason);
  }

  async #request<Body>(method: string, uri: string, body?: object): Promise<Answer<Body>> {
    const response = await ask(uri, {
      method,
      headers: { 'X-Auth-Token': this.#token, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT),
    });
    return await read<Body>(await this.#checked(response));
  }

  /** @throws Problem */
  async #checked(response: Response): Promise<Response> {
    if (response.ok) return response;
    const problem = await refusal(response);
    if (problem.status === 401)
      this.end(problem.isOnTheWay ? problem.message : 'Your session has ended. Log in again.');
    throw problem;
  }
}

/** A log-in that needs another password first. */
export interface PasswordChange {
  /** Sets the password and goes on with the session. @throws Problem */
  change(password: string): Promise<Client>;
}

/** @throws Problem */
export async function logIn(
  user: string,
  password: string,
  onEnd: (reason: string) => void,
): Promise<Client | PasswordChange> {
  const response = await ask(`${SESSION_SERVICE}/Sessions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ UserName: user, Password: password }),
    signal: AbortSignal.timeout(TIMEOUT),
  });
  const { body: session, location } = await read<Session & ExtendedInfo>(response);
  const token = response.headers.get('X-Auth-Token');
  if (token === null) throw new Problem('The BMC gave no token.', { status: response.status });
  const headers = { 'X-Auth-Token': token };
  const account = session['@Message.ExtendedInfo']?.find(({ MessageId }) =>
    MessageId?.endsWith('.PasswordChangeRequired'),
  )?.MessageArgs?.[0];
  const begin = async (): Promise<Client> => {
    const role = session.Roles?.[0] ?? 'ReadOnly';
    const { body } = await read<Role>(
      await ask(`${ROLES}/${encodeURIComponent(role)}`, { headers, signal: AbortSignal.timeout(TIMEOUT) }),
    );
    const uri = location ?? session['@odata.id'];
    return new Client(token, { user, role, privileges: new Set(body.AssignedPrivileges), session: uri }, onEnd);
  };
  if (account === undefined) return await begin();
  return {
    async change(fresh) {
      const changed = await ask(account, {
        method: 'PATCH',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify({ Password: fresh }),
        signal: AbortSignal.timeout(TIMEOUT),
      });
      await read(changed);
      // The session that has made the change goes on.
      return await begin();
    },
  };
}

interface ExtendedInfo {
  readonly '@Message.ExtendedInfo'?: readonly {
    readonly MessageId?: string;
    readonly MessageArgs?: readonly string[];
  }[];
}

type Options = Omit<RequestInit, 'headers'> & { headers: Readonly<Record<string, string>> };

async function ask(uri: string, options: Options): Promise<Response> {
  try {
    // Relative to the page, which may be served below another path.
    return await fetch(uri.replace(/^\//, ''), {
      ...options,
      // Else the browser would ask for a password itself when the BMC refuses one.
      headers: { ...options.headers, 'X-Requested-With': 'XMLHttpRequest' },
      cache: 'no-store',
      // A BMC has no cookies, and passwords that the browser knows are not of this session; `groundcrew web`, below whose path the page
      // may be, has a cookie.
      credentials: /^\/(index\.html)?$/.test(location.pathname) ? 'omit' : 'same-origin',
      redirect: 'error',
    });
  } catch (error) {
    if (options.signal?.aborted && (options.signal.reason as Error).name === 'TimeoutError') {
      throw new Problem('The BMC did not answer in time.', { status: 0, resolution: 'It may be busy: try again.' });
    }
    if (error instanceof Error && error.name === 'AbortError') throw error;
    throw new Problem('The BMC cannot be reached.', { status: 0, resolution: 'It may be restarting: try again.' });
  }
}

async function read<Body>(response: Response): Promise<Answer<Body>> {
  if (!response.ok) throw await refusal(response);
  try {
    const text = await response.text();
    const location = response.headers.get('Location') ?? undefined;
    return { body: (text === '' ? undefined : JSON.parse(text)) as Body, location };
  } catch (error) {
    throw asProblem(error);
  }
}

async function refusal(response: Response): Promise<Problem> {
  const body: unknown = await response.json().catch(() => undefined);
  return problemOf(response.status, body, response.headers.get('Retry-After'));
}
