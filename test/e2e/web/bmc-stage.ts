import { once } from 'node:events';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { buildStaleWeb } from '../../../scripts/build-web.ts';
import { type PopulatedSandbox, SandboxConsole, startPopulatedSandbox } from '../../harness/sandbox/index.ts';
import { Visitor } from './browser.ts';

/** Of the users other than the owner. */
export const PASSWORD = 'Plover-9-xyzzy';

/** For an agent that starts on a loaded machine, and for pauses between attempts to connect. */
export const PATIENT = { timeout: 30_000 };

/** Accounts of the BMC; `owner` is that of its Secret. */
export type User = 'owner' | 'operator' | 'viewer';

/** A BMC whose machine runs, its users, and its pages in a browser. */
export class BmcStage {
  readonly sandbox: PopulatedSandbox['sandbox'];
  readonly bmc: PopulatedSandbox['bmc'];
  readonly redfish: PopulatedSandbox['redfish'];

  private constructor({ sandbox, bmc, redfish }: PopulatedSandbox) {
    this.sandbox = sandbox;
    this.bmc = bmc;
    this.redfish = redfish;
  }

  static async start(): Promise<BmcStage> {
    await buildStaleWeb();
    const stage = new BmcStage(await startPopulatedSandbox());
    for (const [UserName, RoleId] of [
      ['operator', 'Operator'],
      ['viewer', 'ReadOnly'],
    ]) {
      await stage.redfish.send('POST', '/redfish/v1/AccountService/Accounts', { UserName, RoleId, Password: PASSWORD });
    }
    return stage;
  }

  async close(): Promise<void> {
    await this.sandbox.close();
  }

  /** The account of a user. */
  account(user: User): { user: string; password: string } {
    const { username, password } = this.bmc;
    return user === 'owner' ? { user: username, password } : { user, password: PASSWORD };
  }

  /** Header of a request with the password of a user. */
  authorization(of: User): string {
    const { user, password } = this.account(of);
    return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  }

  /** A visitor who has not logged in; until the end of the test. */
  async stranger(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
    const viewport = { width: 1280, height: 800 };
    const visitor = await Visitor.open(browser, this.bmc.redfish, { viewport, ...options });
    onTestFinished(() => visitor.close());
    return visitor;
  }

  /** Logs a visitor in. */
  async logIn(visitor: Visitor, as: User): Promise<void> {
    const { user, password } = this.account(as);
    await visitor.logIn(user, password);
  }

  /** A visitor who has logged in. */
  async visitor(browser: Browser, user: User, options?: BrowserContextOptions): Promise<Visitor> {
    const visitor = await this.stranger(browser, options);
    await this.logIn(visitor, user);
    return visitor;
  }

  /** A visitor of a page, by its name in the menu. */
  async visit(browser: Browser, user: User, name: string, options?: BrowserContextOptions): Promise<Visitor> {
    const visitor = await this.visitor(browser, user, options);
    await visitor.visit(name);
    return visitor;
  }

  /** A visitor of a page with a console that is connected. */
  async openPage(...visited: Parameters<BmcStage['visit']>): Promise<Visitor> {
    const visitor = await this.visit(...visited);
    await untilOpen(visitor.page);
    return visitor;
  }

  /** A console that a program opens with the password of a user. */
  async openPastThePage(user: User, path: '/kvm/0' | '/console0'): Promise<WebSocket> {
    const url = `${this.bmc.redfish.replace('https:', 'wss:')}${path}`;
    const headers = { authorization: this.authorization(user) };
    const socket = new WebSocket(url, ['binary'], { headers, rejectUnauthorized: false });
    await once(socket, 'open');
    return socket;
  }

  /** The guest's serial port, past the BMC. Its text is that of the screen. */
  async witness(): Promise<SandboxConsole> {
    const console = await SandboxConsole.open(this.sandbox, this.bmc.virtualMachine);
    onTestFinished(() => {
      console.close();
    });
    return console;
  }
}

/** The section of a console that is connected. */
export async function untilOpen(page: Page): Promise<Locator> {
  const section = page.locator('section[data-open-console]');
  await section.waitFor(PATIENT);
  return section;
}

/** Types a text on the screen as the page does. */
export async function typeOnScreen({ page }: Visitor, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Paste' }).click();
  await page.getByLabel('Text', { exact: true }).fill(text);
  await page.getByRole('button', { name: 'Type', exact: true }).click();
}

/** What the screen shows. */
export async function shownOn({ page }: Visitor): Promise<string> {
  return await page.evaluate("document.querySelector('.console-view canvas').toDataURL()");
}
