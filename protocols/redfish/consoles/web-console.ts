import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RedfishOptions } from '../options.ts';
import type { ConsoleAccess, ConsoleServer } from './console-server.ts';
import { ConsoleRegister, type OpenConsole } from './console-register.ts';
import { asksForConsole, isOfRedfish, pathOf, webPlaceOf } from './console-paths.ts';

/** What the service has for browsers beside `/redfish`: pages, consoles and pictures of the screen. It is loaded on first use. */
export class WebConsole {
  readonly #options: RedfishOptions;
  readonly #access: () => ConsoleAccess;
  #register: ConsoleRegister | undefined;
  #server: Promise<ConsoleServer> | undefined;
  #isLeaving = false;
  #isClosed = false;

  constructor(options: RedfishOptions, access: () => ConsoleAccess) {
    this.#options = options;
    this.#access = access;
  }

  /** The open consoles, oldest first. */
  list(): readonly OpenConsole[] {
    return this.#register?.list() ?? [];
  }

  find(id: string): OpenConsole | undefined {
    return this.#register?.find(id);
  }

  /** Ends the consoles of those who are no longer logged in as before. */
  check(): void {
    this.#register?.check();
  }

  get #isEnabled(): boolean {
    return this.#options.webConsole?.isEnabled() === true;
  }

  /** Answers by itself what is outside of `/redfish` while the web console is on. */
  beside(redfish: RequestListener): RequestListener {
    return (request, response) => {
      const path = pathOf(request);
      const { webConsole } = this.#options;
      if (isOfRedfish(path) || !this.#isEnabled) redfish(request, response);
      else if (webPlaceOf(path) !== undefined) void this.#answer(request, response);
      else (webConsole?.pages ?? redfish)(request, response);
    };
  }

  /** Whether a request is to be given to {@link upgrade}. */
  accepts(request: IncomingMessage): boolean {
    return this.#isEnabled && asksForConsole(request);
  }

  /**
   * Opens a console, or answers with an error. Nothing was read from the socket after the headers but `head`; its errors have a
   * listener. Never rejects.
   */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    try {
      const server = await this.#load();
      if (this.#isClosed || socket.destroyed) socket.destroy();
      else server.upgrade(request, socket, head);
    } catch (error) {
      this.#failed(error, request);
      socket.destroy();
    }
  }

  /** Ends all consoles; clients connect again, to another process. */
  drain(): void {
    this.#isLeaving = true;
    this.#register?.leave();
  }

  close(): void {
    this.#isClosed = true;
    this.drain();
    this.#server?.then(
      (server) => {
        server.close();
      },
      // The request that loads it has reported the error.
      () => undefined,
    );
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await (await this.#load()).answer(request, response);
    } catch (error) {
      this.#failed(error, request);
      response.destroy();
    }
  }

  #failed(error: unknown, request: IncomingMessage): void {
    this.#options.observer.failed(error, request.method ?? '', pathOf(request));
  }

  async #load(): Promise<ConsoleServer> {
    return await (this.#server ??= this.#make());
  }

  /** Made with the first console: most BMCs never have one. */
  #registerOf(): ConsoleRegister {
    const { random, time, schedule } = this.#options;
    this.#register ??= new ConsoleRegister({ random, time, schedule, isEnabled: () => this.#isEnabled });
    if (this.#isLeaving) this.#register.leave();
    return this.#register;
  }

  async #make(): Promise<ConsoleServer> {
    const { ConsoleServer } = await import('./console-server.ts');
    return new ConsoleServer({ options: this.#options, access: this.#access(), register: this.#registerOf() });
  }
}
