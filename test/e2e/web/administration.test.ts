import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SECRETS } from '@groundcrew/controller-runtime';
import { stateSecretName, VIRTUAL_MACHINES } from '../../../api/index.ts';
import { RedfishClient } from '../../harness/sandbox/index.ts';
import { needs } from '../../tools/index.ts';
import { anAuthority, fingerprintAt } from './authority.ts';
import { BmcStage, PASSWORD } from './bmc-stage.ts';
import { startBrowser, type Visitor } from './browser.ts';
import { PacedImage } from './paced-image.ts';

/** What an Administrator does on the pages of a BMC is what Redfish then shows, and a refusal is said on the page. */

const SYSTEM = '/redfish/v1/Systems/1';
const MANAGER = '/redfish/v1/Managers/1';
const NETWORK_PROTOCOL = `${MANAGER}/NetworkProtocol`;
const CERTIFICATE = `${NETWORK_PROTOCOL}/HTTPS/Certificates/1`;
const ACCOUNT_SERVICE = '/redfish/v1/AccountService';
const ACCOUNTS = `${ACCOUNT_SERVICE}/Accounts`;
const SESSION_SERVICE = '/redfish/v1/SessionService';
const SESSIONS = `${SESSION_SERVICE}/Sessions`;
const ENTRIES = `${SYSTEM}/LogServices/EventLog/Entries`;
/** So that times are of a known form. */
const PLACE = { locale: 'en-GB', timezoneId: 'UTC' };

type Member = Readonly<Record<string, unknown>> & { readonly '@odata.id': string };

describe('the administration of a BMC', needs('chromium'), () => {
  let stage: BmcStage;
  let browser: Browser;

  beforeAll(async () => {
    stage = await BmcStage.start();
    browser = await startBrowser();
  }, 120_000);

  afterAll(async () => {
    await browser.close();
    await stage.close();
  });

  /** The owner at a page. */
  const ownerAt = async (name: string): Promise<Visitor> => await stage.visit(browser, 'owner', name, PLACE);

  async function membersOf(uri: string): Promise<readonly Member[]> {
    return (await stage.redfish.get(`${uri}?$expand=.`))['Members'] as readonly Member[];
  }

  /** The member of a collection with these properties. Undefined if no member has them. */
  async function memberWith(uri: string, wanted: Readonly<Record<string, unknown>>): Promise<Member | undefined> {
    return (await membersOf(uri)).find((member) => Object.keys(wanted).every((key) => member[key] === wanted[key]));
  }

  /** The BMC's answer soon has these properties. */
  async function becomes(uri: string, wanted: object): Promise<void> {
    await expect.poll(() => stage.redfish.get(uri)).toMatchObject(wanted);
  }

  /** The account can log in. */
  async function canLogIn(username: string, password: string): Promise<boolean> {
    const account = new RedfishClient({ ...stage.bmc, username, password });
    return (await account.send('GET', ACCOUNT_SERVICE)).status === 200;
  }

  const says = async ({ page }: Visitor, words: string | RegExp): Promise<void> => {
    await page.locator('.notices').getByText(words).last().waitFor();
  };

  it('sets the boot override for one boot or for each, and clears it', async () => {
    const visitor = await ownerAt('Overview');
    const card = visitor.page.getByRole('region', { name: 'Boot override' });
    const [target, time] = [card.getByLabel('Boot from'), card.getByLabel('For', { exact: true })];
    const set = card.getByRole('button', { name: 'Set' });
    await target.selectOption('Disk');
    await time.selectOption('Each boot');
    await set.click();
    await card.getByText('Each boot is from: Disk.').waitFor();
    const each = { BootSourceOverrideEnabled: 'Continuous', BootSourceOverrideTarget: 'Hdd' };
    await becomes(SYSTEM, { Boot: each });

    await target.selectOption('UEFI HTTP');
    await time.selectOption('The next boot');
    await card.getByLabel('Firmware').selectOption('BIOS');
    await card.getByLabel('URL of the boot file').fill('http://boot.example/grub.efi');
    await set.click();
    await says(visitor, /could not be written because its value would conflict/);
    await becomes(SYSTEM, { Boot: each });

    await card.getByLabel('Firmware').selectOption('UEFI');
    await set.click();
    await card.getByText('The next boot is from: UEFI HTTP. Firmware: UEFI.').waitFor();
    const once = { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'UefiHttp' };
    await becomes(SYSTEM, { Boot: { ...once, HttpBootUri: 'http://boot.example/grub.efi' } });

    const clear = card.getByRole('button', { name: 'Clear' });
    await clear.click();
    await card.getByText('The machine boots in its own order.').waitFor();
    await becomes(SYSTEM, { Boot: { BootSourceOverrideEnabled: 'Disabled' } });
    expect(await clear.getAttribute('data-reason')).toBe('No override is set.');
  });

  it('switches the identification light, and sees it switched by others', async () => {
    const { page } = await ownerAt('Overview');
    const light = page.getByRole('button', { name: 'Identification light' });
    await light.click();
    await becomes(SYSTEM, { LocationIndicatorActive: true });
    await page.getByRole('button', { name: 'Identification light is on', pressed: true }).waitFor();
    await stage.redfish.send('PATCH', SYSTEM, { LocationIndicatorActive: false });
    await page.getByRole('button', { name: 'Identification light', exact: true, pressed: false }).waitFor();
  });

  it('adds, changes, disables and removes a user', async () => {
    const visitor = await ownerAt('Users');
    const { page } = visitor;
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add a user' }).click();
    await dialog.getByLabel('User name').fill('maintainer');
    await dialog.getByLabel('Role').selectOption('Operator: power, boot and consoles');
    await setPassword(dialog, 'short');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByRole('alert').getByText('minimum required length 8').waitFor();
    expect(await dialog.getByLabel('User name').inputValue()).toBe('maintainer');
    expect(await dialog.getByLabel('Role').inputValue()).toBe('Operator');
    await setPassword(dialog, PASSWORD);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await says(visitor, 'maintainer is added.');
    const account = await memberWith(ACCOUNTS, { UserName: 'maintainer' });
    expect(account).toMatchObject({ RoleId: 'Operator', Enabled: true });
    expect(await canLogIn('maintainer', PASSWORD)).toBe(true);

    const uri = account?.['@odata.id'] ?? '';
    const row = page.getByRole('row', { name: 'maintainer' });
    await row.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('User name').fill(stage.bmc.username);
    await dialog.getByLabel('Role').selectOption('ReadOnly: looks');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('already exists').waitFor();
    await dialog.getByLabel('User name').fill('maintainer');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('ReadOnly').waitFor();
    await becomes(uri, { UserName: 'maintainer', RoleId: 'ReadOnly' });

    await row.getByRole('button', { name: 'Disable' }).click();
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await row.getByText('Disabled').waitFor();
    expect(await canLogIn('maintainer', PASSWORD)).toBe(false);
    await row.getByRole('button', { name: 'Enable' }).click();
    await row.getByText('Enabled').waitFor();
    expect(await canLogIn('maintainer', PASSWORD)).toBe(true);

    await row.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await becomes(uri, { UserName: 'maintainer' });
    await row.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await memberWith(ACCOUNTS, { UserName: 'maintainer' })).toBeUndefined();
  });

  it('shows the certificate, and replaces it with one that an authority made of a request of the BMC', async () => {
    const visitor = await ownerAt('Certificate');
    const { page } = visitor;
    const shown = page.getByRole('region', { name: 'HTTPS certificate' });
    const before = await stage.redfish.get(CERTIFICATE);
    await shown.getByText(String(before['Fingerprint'])).waitFor();
    await shown.getByText(String(before['SerialNumber'])).waitFor();

    await page.getByLabel('Common name').fill('bmc.example');
    await page.getByRole('button', { name: 'Make a request' }).click();
    const request = await page.getByLabel('Certificate signing request').textContent();
    const authority = await anAuthority('An authority of the test');
    const field = page.getByLabel('Certificate in PEM');
    const replace = page.getByRole('button', { name: 'Replace', exact: true });
    await field.fill(authority.cert);
    await replace.click();
    await says(visitor, /its private key is unknown/);
    expect(await field.inputValue()).toBe(authority.cert);
    await becomes(CERTIFICATE, { Fingerprint: before['Fingerprint'] });

    onTestFinished(async () => {
      const { namespace, name } = stage.bmc;
      const own = { namespace, name: stateSecretName(name) };
      await stage.sandbox.client.patch(SECRETS, own, 'merge', { data: { https: null } });
    });
    await field.fill(await authority.sign(request ?? ''));
    await replace.click();
    await page.getByText(/reload the page then/).waitFor();
    await shown.getByText('An authority of the test').waitFor();
    const { Fingerprint } = await stage.redfish.get(CERTIFICATE);
    expect(await fingerprintAt(stage.bmc.redfish)).toBe(Fingerprint);
    expect(Fingerprint).not.toBe(before['Fingerprint']);
    await visitor.visit('Sessions');
    await page.getByText('this page').waitFor();
  });

  it('ends the sessions of others and its own, and shows since when they last', async () => {
    // Those of visitors who have left: a page cannot end its own while the BMC has a certificate that the browser does not trust.
    for (const left of await membersOf(SESSIONS)) await stage.redfish.send('DELETE', left['@odata.id']);
    const { page } = await ownerAt('Sessions');
    const others = { UserName: stage.bmc.username, Password: stage.bmc.password };
    const { headers } = await stage.redfish.send('POST', SESSIONS, others);
    const { pathname } = new URL(String(headers['location']), stage.bmc.redfish);
    const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'End' }) });
    await expect.poll(() => row.count()).toBe(1);
    const session = await stage.redfish.get(pathname);
    const time = row.locator('time');
    expect(await time.getAttribute('datetime')).toBe(session['CreatedTime']);
    // In words for the eye, and exact to the second on hover.
    expect(await time.textContent()).toBe('just now');
    const title = (await time.getAttribute('title')) ?? '';
    expect(title).toMatch(/^\d+ \w+ \d{4}(,| at) \d\d:\d\d:\d\d UTC$/);
    expect(Date.parse(title.replace(/,| at/, ''))).toBe(
      Math.trunc(Date.parse(String(session['CreatedTime'])) / 1000) * 1000,
    );

    await row.getByRole('button', { name: 'End' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await expect.poll(async () => (await stage.redfish.send('GET', pathname)).status).toBe(404);
    await expect.poll(() => row.count()).toBe(0);
    await page.getByRole('row').getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Log in' }).waitFor();
    expect(await membersOf(SESSIONS)).toEqual([]);
  });

  it('saves each setting, and says why not', async () => {
    const visitor = await ownerAt('Settings');
    const { page } = visitor;
    const numbers = [
      ['Sessions', 'Seconds without use until a session ends', SESSION_SERVICE, 'SessionTimeout', 900, 29],
      ['Passwords', 'Least characters of a password', ACCOUNT_SERVICE, 'MinPasswordLength', 9, 21],
      ['Passwords', 'Wrong passwords until a lock', ACCOUNT_SERVICE, 'AccountLockoutThreshold', 300, 1001],
      ['Passwords', 'Seconds that a lock lasts', ACCOUNT_SERVICE, 'AccountLockoutDuration', 90, 86_401],
    ] as const;
    for (const [title, label, uri, property, value, wrong] of numbers) {
      const card = page.getByRole('region', { name: title });
      const save = card.getByRole('button', { name: 'Save' });
      const field = card.getByLabel(label);
      await field.fill(String(wrong));
      await save.click();
      // The browser says why.
      expect(await card.locator('input:invalid').count(), label).toBe(1);
      expect(await stage.redfish.get(uri)).not.toMatchObject({ [property]: wrong });
      await field.fill(String(value));
      await save.click();
      await becomes(uri, { [property]: value });
      await expect.poll(() => save.getAttribute('data-reason')).toBe('Nothing is changed.');
    }

    const machine = page.getByRole('region', { name: 'Machine' });
    const tag = machine.getByLabel('Asset tag');
    await tag.fill('t'.repeat(64));
    await machine.getByRole('button', { name: 'Save' }).click();
    await says(visitor, /exceeds the length limit 63/);
    await tag.fill('rack 7');
    await machine.getByRole('button', { name: 'Save' }).click();
    await becomes(SYSTEM, { AssetTag: 'rack 7' });
    await machine.getByLabel('When the machine fails').selectOption('Stay off (Manual)');
    await becomes(SYSTEM, { PowerRestorePolicy: 'AlwaysOff' });
    const { namespace, virtualMachine: name } = stage.bmc;
    expect(await stage.sandbox.client.get(VIRTUAL_MACHINES, { namespace, name })).toMatchObject({
      spec: { runStrategy: 'Manual' },
    });

    for (const [label, service, isOn] of [
      ['IPMI over LAN', 'IPMI', false],
      ['Plain HTTP', 'HTTP', true],
    ] as const) {
      await page.getByLabel(label).click();
      await becomes(NETWORK_PROTOCOL, { [service]: { ProtocolEnabled: isOn } });
      await expect.poll(() => page.getByLabel(label).isChecked()).toBe(isOn);
    }
  });

  it('restarts the BMC, and stays logged in', async () => {
    const { page } = await ownerAt('Settings');
    const { LastResetTime: before } = await stage.redfish.get(MANAGER);
    await page.getByRole('button', { name: 'Restart the BMC' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restart' }).click();
    const since = async () =>
      (await stage.redfish.get(MANAGER).catch(() => ({ LastResetTime: before })))['LastResetTime'];
    await expect.poll(since).not.toBe(before);
    await page.getByRole('link', { name: 'Overview' }).click();
    await expect
      .poll(() => page.getByRole('region', { name: 'BMC', exact: true }).locator('time').getAttribute('datetime'))
      .toBe(await since());
  });

  it('shows the import of an image as a task with its times', async () => {
    const image = await PacedImage.start();
    onTestFinished(() => {
      image.close();
    });
    // A machine that is off gets the image at once.
    await stage.redfish.reset('ForceOff');
    const { page } = await ownerAt('Tasks');
    const drive = `${SYSTEM}/VirtualMedia/Cd`;
    const { body } = await stage.redfish.send('POST', `${drive}/Actions/VirtualMedia.InsertMedia`, {
      Image: image.url,
    });
    const uri = String(body['@odata.id']);
    const row = page.getByRole('row', { name: String(body['Name']) });
    image.sendUpTo(40);
    await row.getByText('Importing').waitFor();
    await expect.poll(() => row.getByRole('progressbar').getAttribute('value')).toBe('40');
    await becomes(uri, { TaskState: 'Running', PercentComplete: 40 });
    image.sendUpTo(100);
    await row.getByText('Done').waitFor();
    const { StartTime, EndTime, TaskState } = await stage.redfish.get(uri);
    expect(TaskState).toBe('Completed');
    const times = row.locator('time');
    expect(await times.first().getAttribute('datetime')).toBe(StartTime);
    expect(await times.last().getAttribute('datetime')).toBe(EndTime);
    await stage.redfish.send('POST', `${drive}/Actions/VirtualMedia.EjectMedia`, {});
  });

  it('filters the event log by severity, and clears it', async () => {
    expect(await canLogIn('stranger', 'wrong')).toBe(false);
    const { page } = await ownerAt('Event log');
    await page.getByText(/A login as .*stranger.* failed/).waitFor();
    const entries = await membersOf(ENTRIES);
    for (const [choice, isShown] of [
      ['Warnings', true],
      ['Information', false],
    ] as const) {
      await page.getByLabel('Severity').selectOption(choice);
      const wanted = entries.filter(({ Severity }) => (Severity !== 'OK') === isShown);
      expect(wanted).not.toEqual([]);
      await page.getByText(`${wanted.length} of ${entries.length} entries.`).waitFor();
      expect(await page.getByText(/A login as .*stranger.* failed/).count()).toBe(isShown ? 1 : 0);
    }
    await page.getByRole('button', { name: 'Clear the log' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Clear the log' }).click();
    await page.getByText('1 of 1 entries.').waitFor();
    expect(await membersOf(ENTRIES)).toMatchObject([{ MessageId: expect.stringContaining('.LogCleared') as string }]);
  });
});

/** Fills in a password, twice where it is asked twice. */
async function setPassword(dialog: Locator, password: string): Promise<void> {
  for (const field of await dialog.locator('input[type=password]').all()) await field.fill(password);
}
