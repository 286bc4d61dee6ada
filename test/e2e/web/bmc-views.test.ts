import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs } from '../../tools/index.ts';
import { BmcStage, PASSWORD } from './bmc-stage.ts';
import { startBrowser, type Visitor } from './browser.ts';

/** What the pages of a BMC look like to each role, and while something is asked, said or wrong. */

const ROLES = { viewer: 'ReadOnly', operator: 'Operator' } as const;

const BOOT = ['Boot from', 'For', 'Firmware', 'Set'];
const POWER = ['Shut down', 'Restart', 'Pause', 'Reset', 'Power cycle', 'Power off now'];
const KEYS = ['Ctrl-Alt-Del', 'Keys', 'Paste', 'Power', 'Take over, and close the screen of all other viewers'];
const NUMBERS = [
  'Seconds without use until a session ends',
  'Least characters of a password',
  'Wrong passwords until a lock',
  'Seconds that a lock lasts',
];
const MACHINE = ['When the machine fails or its node comes back', 'Asset tag'];
const MEDIA = ['URL of the image', 'Then', 'The image server needs a log-in', 'Insert'];
const SERVICES = ['IPMI over LAN', 'Plain HTTP'];

interface View {
  /** What is usable. Absent: more than what is named here. */
  readonly usable?: readonly string[];
  /** What is there and says that the role may not use it. */
  readonly refused: readonly string[];
  /** What the page says instead of showing controls. */
  readonly words?: RegExp;
}

/** The view of a page for each role but Administrator. */
const VIEWS: Readonly<Record<string, Readonly<Record<'viewer' | 'operator', View>>>> = {
  Overview: {
    viewer: { usable: [], refused: [...POWER, 'Identification light'] },
    operator: { usable: [...POWER, 'Identification light', ...BOOT], refused: [] },
  },
  Screen: { viewer: { refused: KEYS, words: /keys and pointer do not reach/ }, operator: { refused: [] } },
  'Serial console': {
    viewer: { usable: [], refused: [], words: /an Operator or Administrator may\./ },
    operator: { refused: [] },
  },
  'Virtual media': {
    viewer: { usable: [], refused: MEDIA },
    operator: { usable: [], refused: MEDIA },
  },
  'Event log': {
    viewer: { usable: ['Filter', 'Severity'], refused: ['Clear the log'] },
    operator: { usable: ['Filter', 'Severity'], refused: ['Clear the log'] },
  },
  Sensors: { viewer: { usable: [], refused: [] }, operator: { usable: [], refused: [] } },
  Tasks: { viewer: { usable: [], refused: [] }, operator: { usable: [], refused: [] } },
  Users: {
    viewer: { usable: ['Change password'], refused: ['Add a user', 'Disable', 'Remove'] },
    operator: { usable: ['Change password'], refused: ['Add a user', 'Disable', 'Remove'] },
  },
  Sessions: {
    viewer: { usable: ['Log out'], refused: ['End'] },
    operator: { usable: ['Log out'], refused: ['End'] },
  },
  Certificate: {
    viewer: { usable: [], refused: [], words: /an Administrator may\./ },
    operator: { usable: [], refused: [], words: /an Administrator may\./ },
  },
  Settings: {
    viewer: { usable: [], refused: [...MACHINE, ...NUMBERS, ...SERVICES, 'Save', 'Restart the BMC'] },
    operator: { usable: MACHINE, refused: [...NUMBERS, ...SERVICES, 'Save', 'Restart the BMC'] },
  },
};

describe('the pages of a BMC', needs('chromium'), () => {
  let stage: BmcStage;
  let browser: Browser;

  beforeAll(async () => {
    stage = await BmcStage.start();
    const account = { UserName: 'novice', RoleId: 'Operator', Password: PASSWORD, PasswordChangeRequired: true };
    await stage.redfish.send('POST', '/redfish/v1/AccountService/Accounts', account);
    const { username: UserName, password: Password } = stage.bmc;
    await stage.redfish.send('POST', '/redfish/v1/SessionService/Sessions', { UserName, Password });
    browser = await startBrowser();
  }, 120_000);

  afterAll(async () => {
    await browser.close();
    await stage.close();
  });

  async function isAccessible(visitor: Visitor, what: string): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await visitor.page.emulateMedia({ colorScheme });
      expect(await visitor.violations(), `${what}, ${colorScheme}`).toEqual([]);
    }
  }

  it.each(['viewer', 'operator'] as const)(
    'let the %s use what its role may, and say why not the rest',
    async (user) => {
      const visitor = await stage.visitor(browser, user);
      const { page } = visitor;
      const refusal = new RegExp(`^Your role ${ROLES[user]} may not do this; `);
      for (const [name, { [user]: view }] of Object.entries(VIEWS)) {
        const { usable, refused, words = /./ } = view;
        await visitor.visit(name);
        const shown = async () => {
          const all = await controlsOf(page);
          const namesOf = (wanted: (reason: string | undefined) => boolean) =>
            [...new Set(all.filter(({ reason }) => wanted(reason)).map((control) => control.name))].toSorted();
          return {
            ...(usable && { usable: namesOf((reason) => reason === undefined) }),
            refused: namesOf((reason = '') => refusal.test(reason)),
            silent: namesOf((reason) => reason === ''),
          };
        };
        await expect.poll(shown, { message: name }).toEqual({
          ...(usable && { usable: usable.toSorted() }),
          refused: usable ? refused.toSorted() : (expect.arrayContaining([...refused]) as string[]),
          silent: [],
        });
        await page.locator('main').getByText(words).first().waitFor();
        if (user === 'viewer') await isAccessible(visitor, name);
      }
    },
  );

  it('violate nothing of WCAG 2.2 AA before the log-in', async () => {
    const visitor = await stage.stranger(browser);
    const { page } = visitor;
    await isAccessible(visitor, 'log-in');
    await visitor.logIn('viewer', 'wrong');
    await page.getByRole('alert').waitFor();
    await isAccessible(visitor, 'wrong password');
    await visitor.logIn('novice', PASSWORD);
    await page.getByLabel('New password', { exact: true }).fill('one');
    await page.getByLabel('New password again').fill('another');
    await page.getByText('The two passwords differ.').waitFor();
    await isAccessible(visitor, 'new password');
  });

  it('violate nothing of WCAG 2.2 AA while they ask and say something', async () => {
    const visitor = await stage.visit(browser, 'owner', 'Users');
    const { page } = visitor;
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add a user' }).click();
    await dialog.getByLabel('User name').fill('a:b');
    for (const field of await dialog.locator('input[type=password]').all()) await field.fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByRole('alert').waitFor();
    await isAccessible(visitor, 'form in a dialog, refused');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await visitor.visit('Overview');
    await page.getByRole('button', { name: 'Power off now' }).click();
    await isAccessible(visitor, 'question');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Identification light' }).click();
    await page.getByLabel('Boot from').selectOption('UEFI HTTP');
    await page.getByLabel('Firmware').selectOption('BIOS');
    await page.getByLabel('URL of the boot file').fill('http://boot.example/grub.efi');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await expect.poll(() => page.locator('.notices .message').count()).toBe(2);
    await isAccessible(visitor, 'notices');

    await visitor.visit('Screen');
    await page.locator('main').getByRole('button', { name: 'Power', exact: true }).click();
    await page.locator('main').getByRole('button', { name: 'Power cycle' }).waitFor();
    await isAccessible(visitor, 'list of commands');
    await page.setViewportSize({ width: 360, height: 800 });
    await page.getByRole('button', { name: 'Menu' }).click();
    await isAccessible(visitor, 'menu');
  });

  it('violate nothing of WCAG 2.2 AA while the BMC does not answer', async () => {
    const visitor = await stage.visitor(browser, 'owner');
    const { page } = visitor;
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.route('**/redfish/v1/**', (route) => route.abort());
    await visitor.visit('Certificate');
    await page.getByRole('alert').getByText('The BMC cannot be reached.').waitFor();
    await isAccessible(visitor, 'failure');
    await visitor.visit('Overview');
    await page.getByText('No connection to the BMC').waitFor();
    await isAccessible(visitor, 'no connection');
    await page.unroute('**/redfish/v1/**');
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).first().click();
    await page.getByText('No connection to the BMC').waitFor({ state: 'detached' });
  });

  it('keep the colours that the reader chooses', async () => {
    const { page } = await stage.visitor(browser, 'owner');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const theme = async () => await page.locator('html').getAttribute('data-theme');
    // It follows the theme with a later frame.
    const colour = async () => await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await colour();
    await page.getByRole('button', { name: 'Colours: system. Change to light' }).click();
    expect(await theme()).toBe('light');
    await page.getByRole('button', { name: 'Colours: light. Change to dark' }).click();
    expect(await theme()).toBe('dark');
    await expect.poll(colour).not.toBe(light);
    const dark = await colour();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Log in' }).waitFor();
    expect(await theme()).toBe('dark');
    await expect.poll(colour).toBe(dark);
    await page.getByRole('button', { name: 'Colours: dark. Change to system' }).click();
    expect(await theme()).toBeNull();
    await expect.poll(colour).toBe(light);
  });
});

interface Control {
  readonly name: string;
  /** Why it cannot be used now. */
  readonly reason: string | undefined;
}

/** What the test reads of an element of the browser. */
interface Field {
  readonly labels?: readonly { readonly textContent: string }[] | null;
  readonly ariaLabel: string | null;
  readonly ariaDisabled: string | null;
  readonly textContent: string;
  readonly disabled: boolean;
  readonly ownerDocument: { getElementById(id: string): { readonly textContent: string } | null };
  getAttribute(name: string): string | null;
}

async function controlsOf(page: Page): Promise<Control[]> {
  return await page.locator('main :is(button, input, select, textarea)').evaluateAll((all) =>
    (all as unknown as Field[]).map((element) => {
      const name = element.labels?.[0]?.textContent ?? element.ariaLabel ?? element.textContent;
      const isOff = element.disabled || element.ariaDisabled === 'true';
      const said = element.ownerDocument.getElementById(element.getAttribute('aria-describedby') ?? '');
      return { name: name.trim(), reason: isOff ? (said?.textContent ?? '') : undefined };
    }),
  );
}
