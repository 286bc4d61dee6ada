import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { FleetServer } from '../../harness/fleet-server.ts';
import { Visitor } from './browser.ts';

/** A browser that has used the newest link of `groundcrew web`. */
export async function visitFleet(
  browser: Browser,
  server: Pick<FleetServer, 'link'>,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const visitor = await Visitor.open(browser, server.link(), options);
  await visitor.page.getByText('Live').waitFor();
  return visitor;
}

/** The row of a BMC in the table. */
export function rowOf(page: Page, name: string): Locator {
  return page
    .getByRole('table', { name: 'BMCs' })
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name: new RegExp(`^${name} `) }) });
}

/** The values of a card, by their names. */
export async function factsOf(card: Locator): Promise<Record<string, string>> {
  const [names, values] = await Promise.all([
    card.locator('dt').allTextContents(),
    card.locator('dd').allTextContents(),
  ]);
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
}

/** Pixels; below the first width the menu is behind a button. */
const NARROW = 360;
const WIDTHS = [NARROW, 2560];
const COLOURS = ['light', 'dark'] as const;

/** Checks that the page as it is fits narrow and wide windows, and violates nothing of WCAG 2.2 AA in light and dark colours. */
export async function checkLooks(visitor: Visitor, what: string): Promise<void> {
  const { page } = visitor;
  const before = page.viewportSize();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of COLOURS) {
      await page.emulateMedia({ colorScheme });
      const look = `${what}, ${width} pixels, ${colorScheme}`;
      expect(await visitor.overflow(), look).toBeLessThanOrEqual(0);
      expect(await visitor.violations(), look).toEqual([]);
    }
  }
  if (before !== null) await page.setViewportSize(before);
}

/** The same with the menu of a narrow window open. */
export async function checkMenu(visitor: Visitor): Promise<void> {
  const { page } = visitor;
  const before = page.viewportSize();
  await page.setViewportSize({ width: NARROW, height: 800 });
  await page.getByRole('button', { name: 'Menu' }).click();
  for (const colorScheme of COLOURS) {
    await page.emulateMedia({ colorScheme });
    expect(await visitor.violations(), `the menu, ${colorScheme}`).toEqual([]);
  }
  await page.getByRole('button', { name: 'Close the menu' }).click();
  if (before !== null) await page.setViewportSize(before);
}
