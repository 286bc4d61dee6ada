import { Agent, request } from 'node:https';
import { PassingError, persist, sendOnce, UnansweredError, type BmcAccess, type PowerClient } from './power-client.ts';

/** ms between two attempts after a broken connection or a 503: Ironic's `[redfish]connection_retry_interval`. */
const PAUSE = 4_000;
/** ms for an answer: the default of sushy. */
const TIMEOUT = 60_000;
/** The code of Node's errors for a server that is not there, or has gone. */
const BROKEN = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH'];

const SESSIONS = '/redfish/v1/SessionService/Sessions';
const SYSTEM = '/redfish/v1/Systems/1';
const RESET = `${SYSTEM}/Actions/ComputerSystem.Reset`;

interface Answer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

/**
 * A client with a session and one persistent connection, as sushy in Ironic. A request that finds no server or loses its
 * connection, and an answer 503, is tried again; a 401 in a session makes a new session. A power action begins with the
 * power state, so a POST whose answer was lost is not sent again to a machine that is on.
 */
export class RedfishClient implements PowerClient {
  readonly tool = 'Redfish';
  repeats = 0;
  readonly #bmc: BmcAccess;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #session: { token: string; uri: string } | undefined;

  constructor(bmc: BmcAccess) {
    this.#bmc = bmc;
  }

  async setPxe(): Promise<void> {
    const Boot = { BootSourceOverrideTarget: 'Pxe', BootSourceOverrideEnabled: 'Once' };
    await this.#persist(async () => {
      await this.#change('PATCH', SYSTEM, { Boot });
    });
  }

  async powerOn(): Promise<void> {
    await this.#persist(async () => {
      if ((await this.#powerState()) === 'On') return;
      await this.#change('POST', RESET, { ResetType: 'On' });
    });
  }

  async powerCycle(wasCarriedOut: () => Promise<boolean>): Promise<void> {
    await this.#persist(async () => {
      await sendOnce(() => this.#change('POST', RESET, { ResetType: 'ForceRestart' }), wasCarriedOut);
    });
  }

  async isOn(): Promise<boolean> {
    return await this.#persist(async () => (await this.#powerState()) === 'On');
  }

  async close(): Promise<void> {
    const { uri } = this.#session ?? {};
    // The session may have ended with its agent.
    if (uri !== undefined) await this.#exchange('DELETE', uri).catch(() => undefined);
    this.#agent.destroy();
  }

  async #persist<T>(attempt: () => Promise<T>): Promise<T> {
    return await persist(attempt, PAUSE, () => {
      this.repeats += 1;
    });
  }

  async #powerState(): Promise<unknown> {
    const { body } = await this.#change('GET', SYSTEM);
    return (JSON.parse(body) as { PowerState?: unknown }).PowerState;
  }

  /** A request in a session. @throws PassingError, or Error for another status than 2xx */
  async #change(method: string, path: string, content?: object): Promise<Answer> {
    this.#session ??= await this.#login();
    const answer = await this.#exchange(method, path, content);
    if (answer.status === 401) {
      this.#session = undefined;
      this.repeats += 1;
      this.#session = await this.#login();
      return succeeded(method, path, await this.#exchange(method, path, content));
    }
    return succeeded(method, path, answer);
  }

  async #login(): Promise<{ token: string; uri: string }> {
    const { username, password } = this.#bmc;
    const answer = await this.#exchange('POST', SESSIONS, { UserName: username, Password: password });
    const { headers } = succeeded('POST', SESSIONS, answer);
    const uri = new URL(String(headers['location']), 'https://bmc').pathname;
    return { token: String(headers['x-auth-token']), uri };
  }

  async #exchange(method: string, path: string, content?: object): Promise<Answer> {
    const { redfish, ca } = this.#bmc;
    const text = content === undefined ? undefined : JSON.stringify(content);
    return await new Promise((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException): void => {
        const isBroken = BROKEN.includes(error.code ?? '') || error.message === 'socket hang up';
        // A refused connection has sent nothing.
        const Lost = error.code === 'ECONNREFUSED' ? PassingError : UnansweredError;
        reject(isBroken ? new Lost(`${method} ${path}: ${error.message}`, { cause: error }) : error);
      };
      const asked = request(
        {
          ...redfish,
          ...{ method, path, ca, agent: this.#agent, timeout: TIMEOUT },
          headers: {
            ...(text === undefined
              ? {}
              : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
            ...(this.#session === undefined ? {} : { 'X-Auth-Token': this.#session.token }),
          },
        },
        (response) => {
          let body = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
          response.on('end', () => {
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
          });
          response.on('error', fail);
        },
      );
      asked.on('timeout', () => asked.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
      asked.on('error', fail).end(text);
    });
  }
}

function succeeded(method: string, path: string, answer: Answer): Answer {
  const { status, body } = answer;
  if (status >= 200 && status < 300) return answer;
  const message = `${method} ${path}: ${status} ${body.slice(0, 300)}`;
  throw status === 503 ? new PassingError(message) : new Error(message);
}
