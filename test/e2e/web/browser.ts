import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { findTool } from '../../tools/index.ts';

export { picture } from './picture.ts';

export async function startBrowser(): Promise<Browser> {
  // A request that outlives its page belongs to no context, whose `ignoreHTTPSErrors` would count.
  const args = ['--no-sandbox', '--ignore-certificate-errors'];
  return await chromium.launch({ executablePath: findTool('chromium') ?? '', args });
}

/** A page whose errors, violations of its content security policy among them, fail the test. */
export class Visitor {
  readonly page: Page;
  /** What the browser complained about. */
  readonly complaints: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(10_000);
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      // Refusals of the BMC and its absence are shown by the page.
      const isRefusal = /^(Failed to load resource|WebSocket connection to |Failed when connecting)/.test(
        message.text(),
      );
      if (message.type() === 'error' && !isRefusal) this.complaints.push(message.text());
    });
  }

  static async open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visitor> {
    const context = await browser.newContext({ reducedMotion: 'reduce', ignoreHTTPSErrors: true, ...options });
    const visitor = new Visitor(await context.newPage());
    await visitor.page.goto(url);
    return visitor;
  }

  async logIn(user: string, password: string): Promise<void> {
    await this.page.getByLabel('User name').fill(user);
    await this.page.getByLabel('Password').fill(password);
    await this.page.getByRole('button', { name: 'Log in' }).click();
  }

  /** Opens a page by its name in the menu. */
  async visit(name: string): Promise<void> {
    await this.page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
    await this.page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  }

  /** Violations of WCAG 2.2 AA on the page as it is, one line each. */
  async violations(): Promise<string[]> {
    if (!(await this.page.evaluate<boolean>('"axe" in globalThis'))) await this.page.evaluate(axe.source);
    // A change of the colour scheme or the size is whole with the second frame after it.
    await this.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    // Colours within a transition are not those of the page.
    await this.page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))');
    const found = await this.page.evaluate(async (tags) => {
      // The script above defines it in the page.
      const { axe: checker } = globalThis as unknown as { axe: typeof axe };
      const { violations } = await checker.run({ runOnly: tags, resultTypes: ['violations'] });
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    }, WCAG);
    return found;
  }

  /** Pixels by which the page is wider than the window. */
  async overflow(): Promise<number> {
    return await this.page.evaluate('document.documentElement.scrollWidth - innerWidth');
  }

  /**
   * Begins to sum up layout shifts (https://wicg.github.io/layout-instability), also those after a click, but not those of the
   * invisible lines that a terminal has for screen readers.
   */
  async watchShifts(): Promise<void> {
    // The types of Node have no such entries.
    await this.page.evaluate(`
      globalThis.shifts = 0;
      new PerformanceObserver((list) => {
        for (const { value, sources } of list.getEntries()) {
          if (sources.some(({ node }) => node?.parentElement?.closest('.xterm') == null)) shifts += value;
        }
      }).observe({ type: 'layout-shift' });`);
  }

  /** The sum since the last call. */
  async shifts(): Promise<number> {
    return await this.page.evaluate(() => {
      const page = globalThis as unknown as { shifts: number };
      const sum = page.shifts;
      page.shifts = 0;
      return sum;
    });
  }

  /** Fails if the browser complained. */
  async close(): Promise<void> {
    await this.page.context().close();
    expect(this.complaints).toEqual([]);
  }
}

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
