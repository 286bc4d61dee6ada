import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildStaleWeb } from '../../../scripts/build-web.ts';
import {
  AGENT_ROLLOUT_NAME,
  AGENT_ROLLOUTS,
  BMC_CONDITIONS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
} from '../../../api/index.ts';
import { newestLink } from '../../harness/fleet-server.ts';
import { RedfishClient, startSandbox, type Sandbox, type SandboxBmc } from '../../harness/sandbox/index.ts';
import { needs } from '../../tools/index.ts';
import { picture, startBrowser, Visitor } from './browser.ts';
import { checkLooks, checkMenu, factsOf, rowOf, visitFleet } from './fleet-visitor.ts';

/** The pages of `groundcrew web` of a sandbox, driven by a browser. */

const PLACES = ['Overview', 'BMCs', 'IP pools', 'Network configs', 'Managers', 'Events'];

describe('the pages of a cluster', needs('chromium'), () => {
  let browser: Browser;
  let sandbox: Sandbox;
  let bmc: SandboxBmc;
  const server = { link: () => newestLink(sandbox.output()) };
  const visit = async (): Promise<Visitor> => await visitFleet(browser, server);

  beforeAll(async () => {
    await buildStaleWeb();
    browser = await startBrowser();
    // More in the pictures of the documents.
    sandbox = await startSandbox({ vms: process.env['UPDATE_PICTURES'] === '1' ? 5 : 1 });
    [bmc] = sandbox.bmcs as [SandboxBmc];
  }, 120_000);
  afterAll(async () => {
    await browser.close();
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
    await checkLooks(second, 'a link that was used');
    await second.close();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByText('You are logged out.').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Open the link that groundcrew web printed' }).waitFor();
    await visitor.close();
  });

  it('lead to the pages of a BMC, and show at once what is done there', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.visit('BMCs');
    const row = rowOf(page, bmc.name);
    await row.getByText('Power: Off').waitFor();
    await row.click();
    const panel = page.getByRole('complementary', { name: bmc.name });
    await panel.getByText(bmc.redfish).waitFor();
    await panel.getByText('Nothing is wrong with it.').waitFor();
    const opened = page.context().waitForEvent('page');
    await panel.getByRole('link', { name: 'Open BMC' }).click();
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

  it('lead to its screen and its serial console, which are opened past the same server', async () => {
    const visitor = await visit();
    const { page } = visitor;
    const sockets: string[] = [];
    const open = async (name: string): Promise<Page> => {
      const opened = page.context().waitForEvent('page');
      await panel.getByRole('link', { name }).click();
      const consolePage = await opened;
      consolePage.setDefaultTimeout(10_000);
      consolePage.on('websocket', (socket) => sockets.push(socket.url()));
      await logIn(consolePage, bmc);
      await consolePage.getByRole('heading', { level: 1, name }).waitFor();
      await consolePage.locator('section[data-open-console]').waitFor();
      return consolePage;
    };
    await visitor.visit('BMCs');
    await rowOf(page, bmc.name).click();
    const panel = page.getByRole('complementary', { name: bmc.name });
    const screen = await open('Screen');
    const serial = await open('Serial console');
    const shown = (): Promise<string> => screen.evaluate("document.querySelector('.console-view canvas').toDataURL()");
    const output = serial.locator('.xterm-accessibility');
    const keys = serial.locator('.xterm-helper-textarea');
    // The guest may still boot.
    await expect.poll(() => keys.pressSequentially('\r').then(() => output.textContent())).toContain('login:');
    const before = await shown();
    await keys.pressSequentially('root\rhelp\r');
    await output.getByText('poweroff').first().waitFor();
    // The screen of the guest has the same text.
    await expect.poll(shown).not.toBe(before);
    const base = new URL(`bmc/${bmc.namespace}/${bmc.name}/`, server.link()).href.replace(/^http/, 'ws');
    expect(sockets).toEqual([`${base}kvm/0`, `${base}console0`]);
    await visitor.close();
  });

  it('work in more windows than a browser has connections to a server, until one of them logs out', async () => {
    const visitor = await visit();
    const other = await visit();
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
    const visitor = await visit();
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

  it('show which interface of a VM has which address, and lead to its BMC', async () => {
    const { namespace, virtualMachine: name } = bmc;
    const { status } = await sandbox.client.get(VIRTUAL_MACHINE_NETWORK_CONFIGS, { namespace, name });
    const [own] = status?.networkConfigs ?? expect.fail('the network config has no interface');
    const address = own?.allocatedIPAddress ?? expect.fail('the interface has no address');
    const visitor = await visit();
    const { page } = visitor;
    await visitor.visit('Network configs');
    const table = page.getByRole('table', { name: 'Network configs' });
    const row = table.getByRole('row').filter({ has: page.getByRole('link', { name: new RegExp(`^${name} `) }) });
    const cells = await row.locator('[role="cell"]').allTextContents();
    expect(cells).toEqual([`${name} ${namespace}`, name, 'Ready', address, own?.networkName]);
    await page.getByLabel('Search').fill(own?.macAddress ?? '');
    await table.getByRole('link', { name }).click();
    const panel = page.getByRole('complementary', { name });
    await panel.getByText('Nothing is wrong with it.').waitFor();
    const interfaces = panel.getByRole('region', { name: 'Interfaces' }).getByRole('listitem');
    expect(await interfaces.locator('span').allTextContents()).toEqual(
      expect.arrayContaining([address, 'Allocated', own?.macAddress, own?.networkName]),
    );
    await panel.getByRole('link', { name: `${namespace}/${bmc.name}` }).click();
    await page.getByRole('complementary', { name: bmc.name }).getByText(address).waitFor();
    await visitor.close();
  });

  it('show the manager, and how far its roll-out of agents is', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.visit('Managers');
    const { items } = await sandbox.client.list(AGENT_ROLLOUTS);
    const { metadata, status } = items.find((one) => one.metadata.name === AGENT_ROLLOUT_NAME) ?? expect.fail('none');
    const { total, ready, updated, wave, phase } = status ?? {};
    expect(total).toBeGreaterThan(0);
    const rollout = page.getByRole('region', { name: 'Roll-outs of agents' });
    await rollout.getByRole('heading', { name: metadata.namespace }).waitFor();
    await rollout.getByText(phase ?? '', { exact: true }).waitFor();
    await rollout.getByRole('img', { name: `Agents: ${updated} up to date` }).waitFor();
    expect(await factsOf(rollout)).toEqual({ Agents: `${total}`, Ready: `${ready}`, Wave: `${wave}` });
    const manager = await factsOf(page.getByRole('region', { name: 'Managers', exact: true }));
    expect(manager).toMatchObject({ Webhook: 'Answers' });
    await visitor.close();
  });

  it('show a new event by itself, and find it', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.visit('Events');
    const events = page.getByRole('table', { name: 'Events' });
    const paused = events.getByRole('row').filter({ hasText: 'Pause' });
    expect(await paused.count()).toBe(0);
    const redfish = new RedfishClient(bmc);
    await redfish.reset('Pause');
    await paused.getByText('just now').waitFor();
    expect(await events.locator('.body [role="row"]').first().textContent()).toContain('Pause');
    await redfish.reset('Resume');
    const resumed = events.getByRole('row').filter({ hasText: 'Resume' });
    await resumed.waitFor();
    await page.getByLabel('Search').fill(`${bmc.name} pause`);
    await resumed.waitFor({ state: 'hidden' });
    await page.getByLabel('Kind').selectOption({ label: 'IP pools' });
    await page.getByText('No event matches the search and the filters').waitFor();
    await page.getByLabel('Kind').selectOption({ label: 'All' });
    await paused.getByRole('link').click();
    await page.getByRole('complementary', { name: bmc.name }).waitFor();
    await visitor.close();
  });

  it('have the colours that the reader chooses, also after a reload', async () => {
    const visitor = await visit();
    const { page } = visitor;
    const colour = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const choose = async (from: string, to: string): Promise<void> => {
      await page.getByRole('button', { name: `Colours: ${from}. Change to ${to}` }).click();
    };
    const light = await colour();
    await choose('system', 'light');
    expect(await colour()).toBe(light);
    await choose('light', 'dark');
    const dark = await colour();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByText('Live').waitFor();
    expect(await colour()).toBe(dark);
    await page.emulateMedia({ colorScheme: 'dark' });
    await choose('dark', 'system');
    expect(await colour()).toBe(dark);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await colour()).toBe(light);
    await visitor.close();
  });

  it('say first what is wrong and what to do, and that all is well again', async () => {
    const visitor = await visit();
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

  it('fit narrow and wide windows, and violate nothing of WCAG 2.2 AA in light and dark colours', async () => {
    const visitor = await visit();
    const { page } = visitor;
    for (const name of PLACES) {
      await visitor.visit(name);
      await checkLooks(visitor, name);
      if (!['BMCs', 'IP pools', 'Network configs'].includes(name)) continue;
      await page.locator('main .data-table a[data-key], main .tile h2 a').first().click();
      await page.getByRole('heading', { name: /^(vm-1|IP pool )/ }).waitFor();
      await checkLooks(visitor, `an object of ${name}`);
      await page.goBack();
    }
    await checkMenu(visitor);
    await visitor.close();
  });
});

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
