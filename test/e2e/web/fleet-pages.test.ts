import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildStaleWeb } from '../../../scripts/build-web.ts';
import { BMC_CONDITIONS, VIRTUAL_MACHINE_BMCS } from '../../../api/index.ts';
import { RedfishClient, startSandbox, type Sandbox, type SandboxBmc } from '../../harness/sandbox/index.ts';
import { needs } from '../../tools/index.ts';
import { picture, startBrowser, Visitor } from './browser.ts';
import { type FleetServer, newestLink, startFleetServer } from '../../harness/fleet-server.ts';
import { type LargeFleet, startLargeFleet } from './large-fleet.ts';

/** The pages of `groundcrew web`, driven by a browser. */

const PLACES = ['Overview', 'BMCs', 'IP pools', 'Network configs', 'Managers', 'Events'];

describe('the pages of a cluster', needs('chromium'), () => {
  let browser: Browser;

  beforeAll(async () => {
    await buildStaleWeb();
    browser = await startBrowser();
  }, 120_000);
  afterAll(async () => {
    await browser.close();
  });

  /** A browser that has used the newest link. */
  async function visitorOf(server: Pick<FleetServer, 'link'>, options: BrowserContextOptions = {}): Promise<Visitor> {
    const visitor = await Visitor.open(browser, server.link(), options);
    await visitor.page.getByText('Live').waitFor();
    return visitor;
  }

  describe('of a sandbox', () => {
    let sandbox: Sandbox;
    let bmc: SandboxBmc;
    const server = { link: () => newestLink(sandbox.output()) };

    beforeAll(async () => {
      // More in the pictures of the documents.
      sandbox = await startSandbox({ vms: process.env['UPDATE_PICTURES'] === '1' ? 5 : 1 });
      [bmc] = sandbox.bmcs as [SandboxBmc];
    }, 120_000);
    afterAll(async () => {
      await sandbox.close();
    });

    it('need the link, which works once', async () => {
      const link = server.link();
      const visitor = await Visitor.open(browser, new URL('/', link).href);
      const { page } = visitor;
      await page.getByRole('heading', { name: 'Open the link that groundcrew web printed' }).waitFor();
      expect(await visitor.violations()).toEqual([]);
      await page.getByLabel('Or paste the link here').fill('no link at all');
      await page.getByRole('button', { name: 'Open' }).click();
      await page.getByText('This is neither the link nor its key.').waitFor();
      await page.getByLabel('Or paste the link here').fill(link);
      await page.getByRole('button', { name: 'Open' }).click();
      await page.getByText('All is as it should be.').waitFor();
      const second = await Visitor.open(browser, link);
      await second.page.getByRole('alert').waitFor();
      expect(second.page.url()).not.toContain('key');
      await second.close();
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByText('You are logged out.').waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Open the link that groundcrew web printed' }).waitFor();
      await visitor.close();
    });

    it('lead to the console of a BMC, and show at once what is done there', async () => {
      const visitor = await visitorOf(server);
      const { page } = visitor;
      await visitor.visit('BMCs');
      const row = rowOf(page, bmc.name);
      await row.getByText('Power: Off').waitFor();
      await row.click();
      const panel = page.getByRole('complementary', { name: bmc.name });
      await panel.getByText(bmc.redfish).waitFor();
      await panel.getByText('Nothing is wrong with it.').waitFor();
      const opened = page.context().waitForEvent('page');
      await panel.getByRole('link', { name: 'Open console' }).click();
      const consolePage = await opened;
      await logIn(consolePage, bmc);
      await consolePage.getByRole('button', { name: 'Power on' }).click();
      await row.getByText('Power: On', { exact: true }).waitFor();
      await panel.getByText(/^Power on/).waitFor();
      await consolePage.close();
      await picture(page, 'fleet-bmcs');
      await page.keyboard.press('Escape');
      await panel.waitFor({ state: 'detached' });
      await visitor.close();
    });

    it('work in more windows than a browser has connections to a server, until one of them logs out', async () => {
      const visitor = await visitorOf(server);
      const other = await visitorOf(server);
      await new RedfishClient(bmc).reset('ForceOff');
      const context = visitor.page.context();
      const origin = new URL('/', server.link());
      // Playwright's pages all count as shown.
      const pages = [visitor.page];
      const consoles: Page[] = [];
      for (let count = 0; count < 3; count += 1) {
        const page = await context.newPage();
        page.setDefaultTimeout(10_000);
        await page.goto(new URL(`#/bmcs/${bmc.namespace}/${bmc.name}`, origin).href);
        await page.getByText('Live').waitFor();
        pages.push(page);
        const consolePage = await context.newPage();
        consolePage.setDefaultTimeout(10_000);
        await consolePage.goto(new URL(`bmc/${bmc.namespace}/${bmc.name}/`, origin).href);
        await logIn(consolePage, bmc);
        consoles.push(consolePage);
      }
      await consoles.at(-1)?.getByRole('button', { name: 'Power on' }).click();
      for (const page of pages.slice(1)) await rowOf(page, bmc.name).getByText('Power: On', { exact: true }).waitFor();
      for (const page of consoles) await page.getByRole('button', { name: 'Power cycle' }).waitFor();
      await pages.at(-1)?.getByRole('button', { name: 'Log out' }).click();
      for (const page of pages) await page.getByText('You are logged out.').waitFor();
      await consoles[0]?.getByText('Open the newest link that groundcrew web has printed.').waitFor();
      await other.page.getByText('Live').waitFor();
      await other.close();
      await visitor.close();
    });

    it('show who has which address of a pool, also to the keyboard', async () => {
      const visitor = await visitorOf(server);
      const { page } = visitor;
      await visitor.visit('IP pools');
      await page.locator('main h2').getByRole('link').click();
      const lease = page.getByRole('table', { name: 'Leases' }).getByRole('row').nth(1);
      const address = await lease.getByRole('cell').first().textContent();
      const map = page.getByRole('slider', { name: 'Addresses' });
      await map.press('End');
      expect(await map.getAttribute('aria-valuetext')).toMatch(/, Free$/);
      await map.press('Home');
      const said = await map.getAttribute('aria-valuetext');
      expect(said).toContain(`${address ?? ''}, `);
      expect(said).toContain(`${bmc.namespace}/${bmc.virtualMachine}`);
      await page.evaluate('scrollTo(0, 0)');
      await picture(page, 'fleet-pool');
      await visitor.close();
    });

    it('say first what is wrong and what to do, and that all is well again', async () => {
      const visitor = await visitorOf(server);
      const { page } = visitor;
      await page.getByText('All is as it should be.').waitFor();
      const ref = { namespace: bmc.namespace, name: 'vm-9' };
      await sandbox.client.create(VIRTUAL_MACHINE_BMCS, {
        apiVersion: 'bmc.kubevirt.io/v1beta1',
        kind: 'VirtualMachineBMC',
        metadata: ref,
        spec: { virtualMachineRef: { name: ref.name } },
      });
      const list = page.getByRole('region', { name: 'What is wrong, and what to do' });
      await list.getByRole('heading', { name: 'BMC: VirtualMachineNotFound' }).waitFor();
      expect(await page.title()).toMatch(/^\(\d\) Overview · Groundcrew$/);
      await expect.poll(() => isAgentReady(sandbox, ref), { timeout: 20_000 }).toBe(true);
      await list.getByRole('heading', { name: 'BMC: Starting' }).waitFor({ state: 'hidden' });
      await picture(page, 'fleet-overview');
      await sandbox.client.delete(VIRTUAL_MACHINE_BMCS, ref);
      await page.getByText('All is as it should be.').waitFor();
      await visitor.close();
    });

    it.each([
      { width: 360, colorScheme: 'light' },
      { width: 2560, colorScheme: 'dark' },
    ] as const)('fit $width pixels in $colorScheme colours, and violate nothing of WCAG 2.2 AA', async (look) => {
      const { width, colorScheme } = look;
      const visitor = await visitorOf(server, { viewport: { width, height: 800 }, colorScheme });
      const check = async (what: string): Promise<void> => {
        expect(await visitor.overflow(), what).toBeLessThanOrEqual(0);
        expect(await visitor.violations(), what).toEqual([]);
      };
      for (const name of PLACES) {
        if (width < 860) await visitor.page.getByRole('button', { name: 'Menu' }).click();
        await visitor.visit(name);
        await check(name);
        const object = visitor.page.locator('main .data-table a[data-key], main .tile h2 a').first();
        if (!['BMCs', 'IP pools'].includes(name)) continue;
        await object.click();
        await visitor.page.getByRole('heading', { name: /^(vm-1|IP pool )/ }).waitFor();
        await check(`an object of ${name}`);
        await visitor.page.goBack();
      }
      await visitor.close();
    });
  });

  describe('of 1,000 BMCs', () => {
    let fleet: LargeFleet;
    let server: FleetServer;

    beforeAll(async () => {
      fleet = await startLargeFleet(1000);
      server = await startFleetServer(fleet.kubeconfig);
    }, 120_000);
    afterAll(async () => {
      await server.stop();
      await fleet.close();
    });

    it('render the rows in the window, find and sort all of them, and show a change', async () => {
      const visitor = await visitorOf(server);
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

    it('say that what they show may be old once the server is gone', async () => {
      const visitor = await visitorOf(server);
      await server.stop();
      await visitor.page.getByText('What you see may be old.').waitFor();
      await visitor.close();
    });
  });
});

/** The row of the BMC in the table. */
function rowOf(page: Page, name: string): ReturnType<Page['getByRole']> {
  return page
    .getByRole('table', { name: 'BMCs' })
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name: new RegExp(`^${name} `) }) });
}

async function logIn(page: Page, { username, password }: SandboxBmc): Promise<void> {
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}

async function isAgentReady({ client }: Sandbox, ref: { namespace: string; name: string }): Promise<boolean> {
  const { status } = await client.get(VIRTUAL_MACHINE_BMCS, ref);
  return (
    status?.conditions?.some(({ type, status: is }) => type === BMC_CONDITIONS.agentReady && is === 'True') === true
  );
}
