import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { needs } from '../../tools/index.ts';
import { startImageServer } from '../clients/client-stage.ts';
import { BmcStage, PASSWORD } from './bmc-stage.ts';
import { picture, startBrowser, type Visitor } from './browser.ts';
import { PacedImage } from './paced-image.ts';

/** The web pages of a BMC, driven by a browser. */

const PAGES = [
  ...['Overview', 'Screen', 'Serial console', 'Virtual media', 'Event log', 'Sensors'],
  ...['Tasks', 'Users', 'Sessions', 'Certificate', 'Settings'],
];

describe('the pages of a BMC', needs('chromium'), () => {
  let stage: BmcStage;
  let browser: Browser;
  let images: Awaited<ReturnType<typeof startImageServer>>;

  beforeAll(async () => {
    stage = await BmcStage.start();
    images = await startImageServer();
    browser = await startBrowser();
  }, 120_000);

  afterAll(async () => {
    await browser.close();
    images.close();
    await stage.close();
  });

  /** The IDs of the sessions of a user. A page whose browser was closed may leave one. */
  async function sessionsOf(user: string): Promise<string[]> {
    const { Members } = await stage.redfish.get('/redfish/v1/SessionService/Sessions?$expand=.');
    return (Members as { Id: string; UserName: string }[]).flatMap(({ Id, UserName }) =>
      UserName === user ? [Id] : [],
    );
  }

  /** Logs in and returns the ID of its session. */
  async function logInAs(visitor: Visitor, user: 'viewer'): Promise<string> {
    const others = await sessionsOf(user);
    await stage.logIn(visitor, user);
    await visitor.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const own = (await sessionsOf(user)).filter((id) => !others.includes(id));
    expect(own).toHaveLength(1);
    return own[0] ?? '';
  }

  it('says that a password is wrong, and logs in and out', async () => {
    const visitor = await stage.stranger(browser);
    await visitor.logIn('viewer', 'wrong');
    const { page } = visitor;
    await page.getByText('User name or password is wrong.').waitFor();
    await stage.logIn(visitor, 'viewer');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Log in' }).waitFor();
    const { Members } = await stage.redfish.get('/redfish/v1/SessionService/Sessions');
    expect(Members).toEqual([]);
  });

  it('lets an account set the password that it must change, and then another, and keeps no session of before', async () => {
    const account = { UserName: 'novice', RoleId: 'Operator', Password: PASSWORD, PasswordChangeRequired: true };
    await stage.redfish.send('POST', '/redfish/v1/AccountService/Accounts', account);
    const visitor = await stage.stranger(browser);
    await visitor.logIn('novice', PASSWORD);
    const { page } = visitor;
    await page.getByLabel('New password', { exact: true }).fill('Wibble-5-frotz');
    await page.getByLabel('New password again').fill('Wibble-5-frotz');
    await page.getByRole('button', { name: 'Set password and log in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(await sessionsOf('novice')).toHaveLength(1);
    await visitor.visit('Users');
    await page.getByRole('row', { name: 'novice' }).getByRole('button', { name: 'Change password' }).click();
    await page.getByLabel('New password').fill('Wibble-6-frotz');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your account is changed. Log in again.').waitFor();
    expect(await sessionsOf('novice')).toEqual([]);
    await visitor.logIn('novice', 'Wibble-6-frotz');
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
  });

  it('ends its session when it is reloaded or left', async () => {
    const visitor = await stage.stranger(browser);
    const { page } = visitor;
    for (const leave of [() => page.reload(), () => page.goto('about:blank')]) {
      const session = await logInAs(visitor, 'viewer');
      await leave();
      await expect.poll(() => sessionsOf('viewer')).not.toContain(session);
    }
  });

  it('powers the machine off and on, and the log shows it by itself', async () => {
    const visitor = await stage.visitor(browser, 'owner');
    const { page } = visitor;
    await page.getByRole('button', { name: 'Power off now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Power off now' }).click();
    await page.getByRole('banner').getByText('Power: Off').waitFor();
    await page.getByRole('button', { name: 'Power on' }).click();
    await page.getByRole('banner').getByText('Power: On').waitFor();
    await visitor.visit('Event log');
    await page.getByText('New entries appear by themselves.').waitFor();
    await page.getByLabel('Filter').fill('identify');
    await page.getByText('No entry matches the filter').waitFor();
    await page.getByLabel('Filter').fill('boot override');
    await stage.redfish.send('PATCH', '/redfish/v1/Systems/1', {
      Boot: { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'Pxe' },
    });
    await page.getByText('The boot override once from the network was set').waitFor();
    await page.getByRole('button', { name: 'Clear the log' }).click();
    const question = page.getByRole('dialog');
    await question.getByRole('button', { name: 'Clear the log' }).click();
    // What is behind a modal dialog takes no text.
    await question.waitFor({ state: 'detached' });
    await page.getByLabel('Filter').fill('');
    await page.getByText(/^The log was cleared by/).waitFor();
  });

  it('inserts an image in one step with the boot from it, and ejects it', async () => {
    const visitor = await stage.visit(browser, 'owner', 'Virtual media');
    const { page } = visitor;
    const drive = page.getByRole('region', { name: 'Virtual CD' });
    await drive.getByLabel('URL of the image').fill('http://nowhere.invalid/boot.iso');
    await drive.getByRole('button', { name: 'Insert' }).click();
    await drive.getByText('nowhere.invalid is an unknown host').waitFor();
    await drive.getByLabel('URL of the image').fill(images.image);
    await drive.getByLabel('Then').selectOption('boot from it once, at the next boot');
    await drive.getByRole('button', { name: 'Insert' }).click();
    await drive.getByText(/^(Done|Waits for a power cycle)$/).waitFor();
    await visitor.visit('Overview');
    await page.getByText('The next boot is from: CD.').waitFor();
    const recent = page.getByRole('region', { name: 'Last actions and events' });
    await recent.getByText(`An image was inserted into the drive Cd by ${stage.bmc.username} from 127.0.0.1`).waitFor();
    await visitor.visit('Virtual media');
    await drive.getByRole('button', { name: 'Eject' }).click();
    await drive.getByText('Empty').waitFor();
  });

  it('shows how far the import of an image is while the machine runs, and what the guest then needs', async () => {
    const image = await PacedImage.start();
    const visitor = await stage.visit(browser, 'owner', 'Virtual media');
    const { page } = visitor;
    const drive = page.getByRole('region', { name: 'Virtual CD' });
    await drive.getByLabel('URL of the image').fill(image.url);
    await drive.getByRole('button', { name: 'Insert' }).click();
    for (const percent of [30, 70]) {
      image.sendUpTo(percent);
      await expect.poll(() => drive.getByRole('progressbar').getAttribute('value')).toBe(String(percent));
      await drive.getByText(`${percent} %`).waitFor();
      const { Members } = await stage.redfish.get('/redfish/v1/TaskService/Tasks?$expand=.');
      expect(Members).toContainEqual(expect.objectContaining({ TaskState: 'Running', PercentComplete: percent }));
    }
    const bar = drive.getByRole('progressbar');
    const drawn = await bar.screenshot();
    await picture(page, 'bmc-media');
    // Without motion the bar is at once where the number says.
    expect((await bar.screenshot()).equals(drawn)).toBe(true);
    image.sendUpTo(100);
    await drive.getByText('The guest gets it when the machine is powered off and on.').waitFor();
    await drive.getByRole('button', { name: 'Power cycle' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Power cycle' }).click();
    await drive.getByText('has it').waitFor();
    await drive.getByText('Done').waitFor();
    await drive.getByRole('button', { name: 'Eject' }).click();
    await drive.getByText('Empty').waitFor();
    image.close();
  });

  it('boots from an image as soon as it is there, whatever page is shown then', async () => {
    const image = await PacedImage.start();
    const visitor = await stage.visitor(browser, 'owner');
    const { page } = visitor;
    const cycles = async (): Promise<number> => {
      const { Members } = await stage.redfish.get('/redfish/v1/Systems/1/LogServices/EventLog/Entries');
      return (Members as { MessageArgs: string[] }[]).filter(({ MessageArgs: [action] }) => action === 'PowerCycle')
        .length;
    };
    const isBootOver = async (): Promise<boolean> => {
      const { Boot } = await stage.redfish.get('/redfish/v1/Systems/1');
      return (Boot as { BootSourceOverrideEnabled: string }).BootSourceOverrideEnabled === 'Disabled';
    };
    const before = await cycles();
    const drive = page.getByRole('region', { name: 'Virtual CD' });
    const insert = async (url: string): Promise<void> => {
      await visitor.visit('Virtual media');
      await drive.getByLabel('URL of the image').fill(url);
      await drive.getByLabel('Then').selectOption('boot from it once, as soon as it is there');
      await drive.getByRole('button', { name: 'Insert' }).click();
    };
    await insert(image.url);
    await drive.getByText('The machine boots from it when the import is complete.').waitFor();
    await visitor.visit('Sensors');
    expect(await cycles()).toBe(before);
    image.sendUpTo(100);
    await page.getByText('The machine boots from the image.').waitFor();
    await expect.poll(isBootOver).toBe(true);
    expect(await cycles()).toBe(before + 1);
    await visitor.visit('Virtual media');
    await drive.getByRole('button', { name: 'Eject' }).click();
    await drive.getByText('Empty').waitFor();
    // The answer of a hypervisor that needs no time for the import.
    await page.route('**/VirtualMedia.InsertMedia', async (route) => {
      await route.fetch();
      await route.fulfill({ status: 204 });
    });
    await insert(images.image);
    await expect.poll(cycles).toBe(before + 2);
    await expect.poll(isBootOver).toBe(true);
    await drive.getByRole('button', { name: 'Eject' }).click();
    await drive.getByText('Empty').waitFor();
    image.close();
  });

  it('says why an import fails', async () => {
    const visitor = await stage.visitor(browser, 'owner');
    await visitor.visit('Virtual media');
    const drive = visitor.page.getByRole('region', { name: 'Virtual USB stick' });
    await drive.getByLabel('URL of the image').fill(images.brokenImage);
    await drive.getByRole('button', { name: 'Insert' }).click();
    await drive.getByRole('progressbar').waitFor();
    await drive.getByText('Failed').waitFor();
    expect(await drive.getByRole('alert').textContent()).toMatch(
      /^CDI could not import the image: The image server cannot be reached: .*Check that the image server is up/,
    );
    await drive.getByRole('button', { name: 'Eject' }).click();
    await drive.getByText('Empty').waitFor();
  });

  it('disables what a role may not do, and says why', async () => {
    const reasonOf = async (visitor: Visitor, name: string): Promise<string | null> =>
      await visitor.page.getByRole('button', { name, exact: true }).first().getAttribute('data-reason');
    const viewer = await stage.visitor(browser, 'viewer', { hasTouch: true });
    expect(await reasonOf(viewer, 'Shut down')).toMatch(/^Your role ReadOnly may not do this/);
    await viewer.page.getByRole('button', { name: 'Shut down' }).tap({ force: true });
    await viewer.page.getByRole('status').getByText('Your role ReadOnly may not do this').waitFor();
    expect(await viewer.page.getByRole('dialog').count()).toBe(0);
    await viewer.visit('Certificate');
    await viewer.page.getByText('an Administrator may.').waitFor();
    await viewer.visit('Serial console');
    await viewer.page.getByRole('main').getByText('an Operator or Administrator may.').waitFor();
    const operator = await stage.visitor(browser, 'operator');
    expect(await reasonOf(operator, 'Shut down')).toBeNull();
    await operator.visit('Virtual media');
    expect(await reasonOf(operator, 'Insert')).toMatch(/^Your role Operator may not do this/);
  });

  it('shows the log-in when the session is ended elsewhere', async () => {
    const visitor = await stage.visitor(browser, 'viewer');
    await visitor.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const { Members } = await stage.redfish.get('/redfish/v1/SessionService/Sessions?$expand=.');
    const own = (Members as { '@odata.id': string; UserName: string }[]).findLast(
      ({ UserName }) => UserName === 'viewer',
    );
    await stage.redfish.send('DELETE', own?.['@odata.id'] ?? '');
    await visitor.page.getByText('Your session has ended. Log in again.').waitFor();
  });

  it('says before that it logs out a reader who has left, although it reads on', async () => {
    const service = '/redfish/v1/SessionService';
    const visitor = await stage.stranger(browser);
    const { page } = visitor;
    await page.clock.install();
    const session = await logInAs(visitor, 'viewer');
    await visitor.visit('Event log');
    await page.getByText('New entries appear by themselves.').waitFor();
    const hasTaken = page.waitForResponse(
      async (response) =>
        response.url().endsWith(service) &&
        ((await response.json()) as { SessionTimeout: number }).SessionTimeout === 60,
    );
    await stage.redfish.send('PATCH', service, { SessionTimeout: 60 });
    onTestFinished(async () => {
      await stage.redfish.send('PATCH', service, { SessionTimeout: 1_800 });
    });
    await hasTaken;
    const notice = page.getByRole('alert').getByText('You will be logged out at');
    const leaveFor = async (ms: number): Promise<void> => {
      const read = page.waitForResponse((response) => response.url().endsWith(service));
      await page.clock.fastForward(ms);
      await read;
    };
    await leaveFor(30_000);
    expect(await notice.count()).toBe(0);
    await leaveFor(15_000);
    await notice.waitFor();
    await page.getByRole('button', { name: 'Stay logged in' }).click();
    await notice.waitFor({ state: 'detached' });
    await leaveFor(45_000);
    await notice.waitFor();
    await page.clock.fastForward(16_000);
    await page.getByText('You were logged out, because the page was not used.').waitFor();
    await expect.poll(() => sessionsOf('viewer')).not.toContain(session);
    await expect.poll(() => page.title()).toBe(`Log in · ${new URL(stage.bmc.redfish).host} · BMC`);
    await page.getByText(`BMC at ${new URL(stage.bmc.redfish).host}`).waitFor();
  });

  it.each([360, 2560])('fit into %i pixels, do not jump, and violate nothing of WCAG 2.2 AA', async (width) => {
    const visitor = await stage.stranger(browser, { viewport: { width, height: 800 } });
    const { page } = visitor;
    await visitor.watchShifts();
    await stage.logIn(visitor, 'owner');
    const jumps: Record<string, number> = {};
    for (const name of PAGES) {
      if (width < 860) await page.getByRole('button', { name: 'Menu' }).click();
      await visitor.visit(name);
      await page.locator('main .loading').first().waitFor({ state: 'detached' });
      // What a page loads may be on its way to its place and colour.
      await expect.poll(() => visitor.overflow(), { message: name }).toBeLessThanOrEqual(0);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await expect.poll(() => visitor.violations(), { message: `${name}, ${colorScheme}` }).toEqual([]);
      }
      const shifts = await visitor.shifts();
      if (shifts >= MOST_SHIFTS) jumps[name] = shifts;
    }
    expect(jumps).toEqual({});
  });

  it('have pictures in the documents', async () => {
    const visitor = await stage.visitor(browser, 'owner');
    const { page } = visitor;
    await page.getByRole('img', { name: 'The screen of the machine' }).waitFor();
    await page.getByText('Gateway').waitFor();
    await picture(page, 'bmc-overview');
    await visitor.visit('Event log');
    await page.getByText('New entries appear by themselves.').waitFor();
    await picture(page, 'bmc-log');
    await page.clock.install();
    await atWork(page);
    await visitor.visit('Sensors');
    // Five seconds until the next readings.
    for (let reading = 0; reading < READINGS; reading += 1) {
      const answered = page.waitForResponse(/\/Sensors\?/);
      await page.clock.fastForward(5_000);
      await answered;
    }
    const plot = page.getByRole('region', { name: 'CPU Used' }).locator('path.line');
    const heights = async (): Promise<Set<string>> =>
      new Set(Array.from((await plot.getAttribute('d'))?.matchAll(/,([\d.]+)/g) ?? [], ([, height = '']) => height));
    await expect.poll(async () => (await heights()).size).toBeGreaterThan(READINGS / 2);
    await picture(page, 'bmc-sensors');
  });
});

/** Of a page, from the click that opens it. */
const MOST_SHIFTS = 0.05;
/** Readings of a plot in the test. */
const READINGS = 40;

/** The machine's usage changes from reading to reading: the sandbox has no metrics-server, which measures it. */
async function atWork(page: Page): Promise<void> {
  let count = 0;
  await page.route(/\/Sensors\?/, async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { Members: { Name: string }[] };
    count += 1;
    const usage: Readonly<Record<string, number>> = {
      'CPU Used': 42 + 22 * Math.sin(count / 4) + 9 * Math.sin(count * 1.7),
      'Memory Used': 700 + 18 * count + 40 * Math.sin(count / 2),
    };
    const Members = body.Members.map((sensor) => {
      const Reading = usage[sensor.Name];
      return Reading === undefined ? sensor : { ...sensor, Reading, Status: { State: 'Enabled', Health: 'OK' } };
    });
    await route.fulfill({ response, json: { ...body, Members } });
  });
}
