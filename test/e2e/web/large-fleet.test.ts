import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildStaleWeb } from '../../../scripts/build-web.ts';
import { type FleetServer, startFleetServer } from '../../harness/fleet-server.ts';
import { needs } from '../../tools/index.ts';
import { startBrowser, type Visitor } from './browser.ts';
import { checkLooks, factsOf, rowOf, visitFleet } from './fleet-visitor.ts';
import { type LargeFleet, startLargeFleet } from './large-fleet.ts';
import { createPoolOfAllUses } from './pool-of-all-uses.ts';

/** From address to address on the map of the pool: a use, and the keys that lead to an address of it. */
const WAY = [
  ['bound', 'Home'],
  ['allocated', 'ArrowRight', 'ArrowRight', 'ArrowRight'],
  ['resting', 'ArrowRight', 'ArrowRight'],
  ['free', 'End'],
  ['excluded', 'ArrowLeft'],
] as const;
/** The colour of the map at the cursor, near the corner of the cell, where there is no sign. */
const COLOUR = `(() => {
  const canvas = document.querySelector('.grid-cells canvas');
  const frame = canvas.getBoundingClientRect();
  const cursor = document.querySelector('.grid-cursor').getBoundingClientRect();
  const [x, y] = [cursor.left - frame.left + 3, cursor.top - frame.top + 3].map((at) => (at * canvas.width) / frame.width);
  const [red, green, blue] = canvas.getContext('2d').getImageData(x, y, 1, 1).data;
  return 'rgb(' + [red, green, blue].join(', ') + ')';
})()`;

/** The pages of `groundcrew web` of 1,000 BMCs that one agent serves, driven by a browser. */
describe('the pages of 1,000 BMCs', needs('chromium'), () => {
  let browser: Browser;
  let fleet: LargeFleet;
  let server: FleetServer;
  const visit = async (): Promise<Visitor> => await visitFleet(browser, server);

  beforeAll(async () => {
    await buildStaleWeb();
    browser = await startBrowser();
    fleet = await startLargeFleet(1000);
    server = await startFleetServer(fleet.kubeconfig);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await server.stop();
    await fleet.close();
  });

  it('render the rows in the window, find and sort all of them, and show a change', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.visit('BMCs');
    const rows = page.getByRole('table', { name: 'BMCs' }).locator('.body [role="row"]');
    await rowOf(page, 'vm-1').waitFor();
    expect(await rows.count()).toBeLessThan(60);
    await page.getByLabel('Search').fill('vm-99 default');
    await page.getByText('11 of 1,000 BMCs').waitFor();
    await page.getByRole('columnheader', { name: 'BMC' }).getByRole('button').click();
    await page.getByRole('columnheader', { name: 'BMC' }).getByRole('button').click();
    expect(await rows.first().textContent()).toContain('vm-999');
    for (const text of ['https://10.0.1.244/', '10.0.1.244:623']) {
      await page.getByLabel('Search').fill(text);
      await page.getByText('1 of 1,000 BMCs').waitFor();
      await rowOf(page, 'vm-500').waitFor();
    }
    await page.getByLabel('Search').fill('');
    await rowOf(page, 'vm-1000').getByRole('link').focus();
    await page.keyboard.press('End');
    await page.locator('[data-key="default/vm-1"]:focus').waitFor();
    await fleet.breakBmc('vm-500');
    await page.getByRole('button', { name: 'With problems 1' }).click();
    await rowOf(page, 'vm-500').getByText('The agent does not answer.').waitFor();
    await page.getByRole('link', { name: 'Overview 2 problems' }).click();
    await page.getByRole('link', { name: 'default/vm-500' }).click();
    await page.getByRole('complementary', { name: 'vm-500' }).getByText('The agent does not answer.').waitFor();
    await visitor.close();
  });

  it('say what to do about a BMC at one click on its row, with a command to copy', async () => {
    await fleet.stopAgentOf('vm-7');
    const visitor = await visit();
    const { page } = visitor;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await visitor.visit('BMCs');
    const row = rowOf(page, 'vm-7');
    await row.getByText('ScaledToZero').waitFor();
    await checkLooks(visitor, 'the table');
    await row.getByText('It has no agent: Deployment vm-7-virtbmc is scaled to 0.').click();
    const todo = page.getByRole('region', { name: 'What is wrong' }).getByText('What to do:').locator('..');
    const command = 'kubectl scale -n default deployment vm-7-virtbmc --replicas=1';
    expect(await todo.textContent()).toContain(command);
    await todo.getByRole('button', { name: 'Copy the command' }).click();
    await todo.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(command);
    await checkLooks(visitor, 'a BMC with a problem');
    await page.getByLabel('Search').focus();
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    await visitor.close();
  });

  it('show the agent that serves them, and lead to its BMCs', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.visit('Managers');
    const agent = page.getByRole('region', { name: 'Shared agents' });
    await agent.getByRole('heading', { name: 'virtbmc-shared-0 default' }).waitFor();
    const served = await agent.getByRole('link').count();
    expect(await factsOf(agent)).toEqual({
      ...{ 'Acting pod': 'virtbmc-shared-0-0', 'Pods ready': '1/1', BMCs: '999 of at most 1024' },
    });
    await agent.getByRole('link', { name: `and ${999 - served + 1} more` }).click();
    await page.getByText('999 of 1,000 BMCs').waitFor();
    await page.goBack();
    await agent.getByRole('link', { name: 'vm-1', exact: true }).click();
    const panel = page.getByRole('complementary', { name: 'vm-1' });
    await panel.getByText('virtbmc-shared-0', { exact: true }).waitFor();
    await visitor.close();
  });

  it('draw how full a pool is, and what each of its addresses is used for, in the colours of the page', async () => {
    await createPoolOfAllUses(fleet.client);
    const visitor = await visit();
    const { page } = visitor;
    await visitor.visit('IP pools');
    const label = /^Addresses.*: 3 bound, 2 allocated, 1 resting, 13 free$/;
    await page.getByRole('img', { name: label }).waitFor();
    await page.getByRole('link', { name: 'lab default' }).click();
    const parts = await page.getByRole('img', { name: label }).locator('span').all();
    const widths = await Promise.all(parts.map(async (part) => (await part.boundingBox())?.width ?? 0));
    const unit = widths.reduce((sum, width) => sum + width, 0) / 19;
    for (const [index, count] of [3, 2, 1, 13].entries()) expect(widths[index]).toBeCloseTo(count * unit, 0);

    const legend = page.locator('.address-grid .usage-legend li');
    expect(await legend.allTextContents()).toEqual([
      ...['Bound 3', 'Allocated, not bound 2', 'Resting, not free yet 1', 'Excluded 1', 'Free 13'],
    ]);
    const map = page.getByRole('slider', { name: 'Addresses' });
    const check = async (): Promise<string[]> => {
      const seen: string[] = [];
      for (const [use, ...keys] of WAY) {
        for (const key of keys) await map.press(key);
        const wanted = await page.evaluate<string>(
          `getComputedStyle(document.querySelector('[data-use=${use}]')).backgroundColor`,
        );
        await expect.poll(() => page.evaluate<string>(COLOUR)).toBe(wanted);
        seen.push(wanted);
      }
      return seen;
    };
    const light = await check();
    expect(new Set(light).size).toBe(WAY.length);
    await page.getByRole('button', { name: 'Change to light' }).click();
    await page.getByRole('button', { name: 'Change to dark' }).click();
    const dark = await check();
    for (const [index, colour] of dark.entries()) expect(colour).not.toBe(light[index]);
    await page.getByRole('button', { name: 'Change to system' }).click();
    await map.press('Home');
    const first = await page.locator('.grid-cursor').boundingBox();
    await map.press('End');
    expect(await map.getAttribute('aria-valuetext')).toBe('10.9.0.29, Free');
    await page.mouse.move((first?.x ?? 0) + 8, (first?.y ?? 0) + 8);
    await page.locator('.grid-detail').getByRole('link', { name: 'default/vm-1' }).waitFor();
    expect(await page.locator('.grid-detail').textContent()).toMatch(
      /^10\.9\.0\.10Bounddefault\/vm-102:00:00:00:00:01Seen /,
    );
    await checkLooks(visitor, 'a pool');
    await visitor.close();
  });

  it('say that what they show may be old once the server is gone', async () => {
    const visitor = await visit();
    await visitor.visit('BMCs');
    await server.stop();
    await visitor.page.getByText('What you see may be old.').waitFor();
    await checkLooks(visitor, 'what may be old');
    await visitor.close();
  });
});
