import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import { eventually } from '../../harness/eventually.ts';
import { findTool } from '../../tools/index.ts';

/** For a browser that starts on a loaded machine. */
const PATIENT = { timeout: 30_000, interval: 100 };

interface Reply {
  id: number | null;
  type: 'success' | 'error' | 'event';
  result?: unknown;
  error?: string;
  message?: string;
}

/**
 * One page in Debian's Firefox, by WebDriver BiDi (w3c.github.io/webdriver-bidi). Playwright uses commands that the ESR
 * version does not have.
 */
export class FirefoxPage {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  readonly #close: () => Promise<void>;
  #context = '';
  #lastId = 0;

  private constructor(socket: WebSocket, close: () => Promise<void>) {
    this.#socket = socket;
    this.#close = close;
    socket.on('message', (data: Buffer) => {
      const reply = JSON.parse(data.toString('utf8')) as Reply; // Of Firefox.
      if (reply.id !== null) this.#waiting.get(reply.id)?.(reply);
    });
  }

  /** Starts a browser. Certificates are not verified. */
  static async start(): Promise<FirefoxPage> {
    const folder = mkdtempSync(join(tmpdir(), 'groundcrew-firefox-'));
    const browser = spawn(
      findTool('firefox-esr') ?? '',
      ['--headless', '--remote-debugging-port=0', '--no-remote', '--profile', folder],
      { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: folder } },
    );
    const ended = once(browser, 'exit');
    let socket: WebSocket | undefined;
    const close = async (): Promise<void> => {
      socket?.terminate();
      browser.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    };
    try {
      const lines = createInterface(browser.stderr);
      const endpoint = await new Promise<string>((resolve, reject) => {
        lines.on('line', (line) => {
          const found = /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1];
          if (found !== undefined) resolve(found);
        });
        lines.once('close', () => {
          reject(new Error('Firefox has ended'));
        });
      });
      socket = new WebSocket(`${endpoint}/session`);
      await once(socket, 'open');
      const page = new FirefoxPage(socket, close);
      await page.#begin();
      return page;
    } catch (error) {
      await close();
      throw error;
    }
  }

  async visit(url: string): Promise<void> {
    await this.#command('browsingContext.navigate', { context: this.#context, url, wait: 'complete' });
  }

  /** Goes on in the other tab: one that the page has opened, or the one that opened it. */
  async changeTab(): Promise<void> {
    await eventually(async () => {
      const other = (await this.#tabs()).find((tab) => tab !== this.#context);
      if (other === undefined) throw new Error('there is only one tab');
      this.#context = other;
    }, PATIENT);
  }

  /** The value of a JavaScript expression in the page; an object is undefined. */
  async evaluate(expression: string): Promise<unknown> {
    const target = { context: this.#context };
    const answer = await this.#command('script.evaluate', { expression, target, awaitPromise: true });
    const { result, exceptionDetails } = answer as {
      result?: { value?: unknown };
      exceptionDetails?: { text: string };
    };
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
    return result?.value;
  }

  /** Resolves when the expression is true. */
  async until(expression: string): Promise<void> {
    await eventually(async () => {
      if ((await this.evaluate(`Boolean(${expression})`)) !== true) throw new Error(`not yet: ${expression}`);
    }, PATIENT);
  }

  /** Types with the keyboard where the focus is. Other keys than characters are those of WebDriver §17.4.2. */
  async type(text: string): Promise<void> {
    const keys = text.split('').flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.#command('input.performActions', {
      context: this.#context,
      actions: [{ type: 'key', id: 'keyboard', actions: keys }],
    });
  }

  async close(): Promise<void> {
    await this.#close();
  }

  async #begin(): Promise<void> {
    await this.#command('session.new', { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } });
    this.#context = (await this.#tabs())[0] ?? '';
  }

  async #tabs(): Promise<string[]> {
    const { contexts } = (await this.#command('browsingContext.getTree', {})) as { contexts: { context: string }[] };
    return contexts.map(({ context }) => context);
  }

  async #command(method: string, params: object): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const reply = await new Promise<Reply>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
    this.#waiting.delete(id);
    if (reply.type === 'error') throw new Error(`${method}: ${reply.error ?? ''}: ${reply.message ?? ''}`);
    return reply.result;
  }
}
