import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { VIRTUAL_MACHINE_INSTANCES } from '../../../api/index.ts';
import { kindOf, type KubeObject } from '../../../api/object.ts';
import { keyEvent } from '../../../protocols/rfb/messages.ts';
import { eventually } from '../../harness/eventually.ts';
import { newestLink } from '../../harness/fleet-server.ts';
import { descendantsOf } from '../../harness/sandbox/index.ts';
import { needs } from '../../tools/index.ts';
import { picture, startBrowser, type Visitor } from './browser.ts';
import { BmcStage, PATIENT, shownOn, typeOnScreen, untilOpen } from './bmc-stage.ts';
import { FirefoxPage } from './firefox.ts';

/** The screen and the serial console in browsers. */

/** Keys in WebDriver. */
const [TAB, ENTER] = ['\uE004', '\uE007'];
const SESSIONS = '/redfish/v1/SessionService/Sessions';
const MIGRATIONS = kindOf<KubeObject & { spec: { vmiName: string } }>(
  'kubevirt.io/v1',
  'VirtualMachineInstanceMigration',
);

let stage: BmcStage;

beforeAll(async () => {
  stage = await BmcStage.start();
}, 120_000);

afterAll(async () => {
  await stage.close();
});

/** Resolves when the BMC has closed it. */
async function close(socket: WebSocket): Promise<void> {
  socket.close();
  await once(socket, 'close');
}

function killAgent(): void {
  const agent = descendantsOf(stage.sandbox.process.pid ?? 0).find(({ command }) => command.includes('agent bmc'));
  process.kill(agent?.pid ?? expect.fail('no agent runs'), 'SIGKILL');
}

describe('the consoles of a BMC in Chromium', needs('chromium'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
  });

  it('show the serial port to two at a time, and what they type reaches the guest', async () => {
    const visitor = await stage.openPage(browser, 'owner', 'Serial console');
    const other = await stage.openPage(browser, 'operator', 'Serial console');
    await visitor.page.getByText('2 here: ').waitFor();
    await visitor.page.locator('.xterm-helper-textarea').pressSequentially('\r');
    for (const { page } of [visitor, other])
      await page.locator('.xterm-accessibility').getByText('login:').first().waitFor();
    await other.page.locator('.xterm-helper-textarea').pressSequentially('root\rhelp\r');
    await visitor.page.locator('.xterm-accessibility').getByText('poweroff').first().waitFor();
    await other.page.getByRole('button', { name: 'Log out' }).click();
    await visitor.page.getByText('Only you').waitFor();
    await picture(visitor.page, 'bmc-serial');
  });

  it('give the keys of a terminal to the serial port, and none of them to the browser', async () => {
    const { page } = await stage.openPage(browser, 'owner', 'Serial console');
    const sent = await reconnect(page);
    await page.evaluate("globalThis.pressed = []; addEventListener('keydown', (event) => pressed.push(event), true)");
    await page.locator('.xterm-helper-textarea').focus();
    const keys = [
      'F1',
      'F3',
      'F5',
      'F6',
      'F7',
      'F10',
      'F11',
      'F12',
      'Home',
      'End',
      'PageUp',
      'Insert',
      'ArrowUp',
      'Tab',
    ];
    for (const key of keys) await page.keyboard.press(key);
    expect(sent()).toContain('\x1b[15~');
    const left = await page.evaluate('pressed.filter((event) => !event.defaultPrevented).map(({ key }) => key)');
    expect(left).toEqual([]);
    await page.getByText('Shift-Tab leaves the terminal').waitFor();
    const before = sent();
    await page.keyboard.press('Shift+Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Reconnect');
    expect(sent()).toBe(before);
  });

  it('show all of a character, and 80 columns and 24 lines also in a narrow window', async () => {
    const visitor = await stage.openPage(browser, 'owner', 'Serial console');
    const { page } = visitor;
    await page.setViewportSize({ width: 360, height: 740 });
    const wide = '0123456789'.repeat(8);
    await page.locator('.xterm-helper-textarea').pressSequentially(`root\recho ____\recho ${wide}\r`);
    await page.locator('.xterm-rows > div').getByText(wide, { exact: true }).waitFor();
    expect(await page.locator('.xterm-rows > div').count()).toBeGreaterThanOrEqual(24);
    expect(await visitor.overflow()).toBeLessThanOrEqual(0);
    const picture = await page.locator('.xterm-rows span').getByText('____', { exact: true }).screenshot();
    expect(await coloursOf(page, picture)).toBeGreaterThan(1);
  });

  it('copy from the serial console, paste into it, and connect it anew', async () => {
    const guest = await stage.openPastThePage('operator', '/console0');
    let output = '';
    guest.on('message', (data: Buffer) => (output += data.toString()));
    const { page } = await stage.openPage(browser, 'owner', 'Serial console');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = async (): Promise<string> => await page.evaluate('navigator.clipboard.readText()');
    await page.getByRole('button', { name: 'Paste' }).click();
    await page.getByLabel('Text', { exact: true }).fill('root\necho Loud_word\n');
    await page.getByRole('button', { name: 'Type', exact: true }).click();
    await expect.poll(() => output).toMatch(/\nLoud_word/);
    const word = page.locator('.xterm-rows span').getByText('Loud_word', { exact: true }).last();
    await word.dblclick({ force: true });
    await page.keyboard.press('Control+C');
    expect(await copied()).toBe('Loud_word');
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('All of the terminal is copied.').waitFor();
    expect(await copied()).toMatch(/echo Loud_word\nLoud_word\n/);

    const sent = await reconnect(page);
    await page.locator('.xterm-helper-textarea').pressSequentially('echo a');
    await word.dblclick({ force: true });
    await page.keyboard.press('Control+Shift+C');
    expect(await copied()).toBe('Loud_word');
    await page.keyboard.press('Control+Shift+V');
    await page.keyboard.press('Enter');
    await expect.poll(() => output).toMatch(/\naLoud_word/);
    await page.keyboard.press('Control+C');
    await expect.poll(sent).toMatch(/Loud_word\r\x03$/);
    await close(guest);
  });

  it('say that the browser refuses to copy', async () => {
    const { page } = await stage.openPage(browser, 'owner', 'Serial console');
    const refusal = page.getByText('The browser does not allow the page to copy.');
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))');
    await page.getByRole('button', { name: 'Copy' }).click();
    await refusal.waitFor();
    await page.getByRole('button', { name: 'Close this notice' }).click();
    // As on a page that has come by plain HTTP.
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.locator('.xterm-helper-textarea').press('Control+Shift+C');
    await refusal.waitFor();
  });

  /** Presses Reconnect. @returns what the page has sent since */
  async function reconnect(page: Page): Promise<() => string> {
    let sent = '';
    const opened = page.waitForEvent('websocket');
    await page.getByRole('button', { name: 'Reconnect' }).click();
    (await opened).on('framesent', ({ payload }) => (sent += payload.toString()));
    await untilOpen(page);
    return () => sent;
  }

  /** The number of different colours of a PNG file. */
  async function coloursOf(page: Page, png: Buffer): Promise<number> {
    return await page.evaluate(`(async () => {
      const bytes = Uint8Array.from(atob('${png.toString('base64')}'), (character) => character.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes]));
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
      context.drawImage(bitmap, 0, 0);
      return new Set(new Uint32Array(context.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer)).size;
    })()`);
  }

  it('show who watches the screen, let one take it, and share it again', async () => {
    const owner = await stage.openPage(browser, 'owner', 'Screen');
    const operator = await stage.openPage(browser, 'operator', 'Screen');
    for (const { page } of [owner, operator]) await page.getByText(/^2 here: .*operator/).waitFor();
    await operator.page.getByRole('button', { name: 'Take over' }).click();
    await owner.page.getByText(/^operator from \S+ has taken the screen$/).waitFor();
    await operator.page.getByText('Only you').waitFor();
    await owner.page.getByRole('button', { name: 'Connect' }).click();
    for (const { page } of [owner, operator]) await page.getByText('2 here: ').waitFor();
  });

  it('show the screen to a role that may not type, and drop its keys', async () => {
    const guest = await stage.witness();
    const owner = await stage.openPage(browser, 'owner', 'Screen');
    const viewer = await stage.openPage(browser, 'viewer', 'Screen');
    await viewer.page.getByText('your keys and pointer do not reach the machine').waitFor();
    await viewer.page.getByRole('region', { name: 'Screen' }).locator('canvas').click();
    await viewer.page.keyboard.type('intruder');
    await typePastThePage('intruder');
    const before = await shownOn(owner);
    await typeOnScreen(owner, '\ntyped\n');
    expect(await guest.until(/typed/)).not.toContain('intruder');
    for (const visitor of [owner, viewer]) await expect.poll(() => shownOn(visitor)).not.toBe(before);
    await expect.poll(async () => (await shownOn(viewer)) === (await shownOn(owner))).toBe(true);
  });

  /** Sends keys as a program with the rights of the viewer. Resolves when the BMC has taken them. */
  async function typePastThePage(text: string): Promise<void> {
    const socket = await stage.openPastThePage('viewer', '/kvm/0');
    const keys = text.split('').flatMap((key) => [true, false].map((isDown) => keyEvent(key.charCodeAt(0), isDown)));
    // The version, no security, and a shared session (RFC 6143 §7.1 to §7.3).
    socket.send(Buffer.concat([Buffer.from('RFB 003.008\n\x01\x01'), ...keys]));
    let received = 0;
    socket.on('message', (data: Buffer) => (received += data.length));
    // Version, types of security and result are 18 bytes; then the session begins.
    await expect.poll(() => received).toBeGreaterThan(18);
    await close(socket);
  }

  it.each([
    ['Screen', '/kvm/0', 'screen'],
    ['Serial console', '/console0', 'serial console'],
  ] as const)('say that the limit of an account is reached, and open when it is not: %s', async (name, path, noun) => {
    const sockets = await Promise.all(Array.from({ length: 6 }, () => stage.openPastThePage('operator', path)));
    const { page } = await stage.visit(browser, 'operator', name);
    await page.getByText(`your account has the ${noun} open 6 times, its limit`).waitFor();
    await page.getByText('It is opened again by itself.').waitFor();
    await Promise.all(sockets.map(close));
    await untilOpen(page);
  });

  it('come back by themselves after the agent was killed', async () => {
    const screen = await stage.openPage(browser, 'owner', 'Screen');
    const serial = await stage.openPage(browser, 'operator', 'Serial console');
    const terminal = serial.page.locator('.xterm-helper-textarea');
    await terminal.pressSequentially('early');
    await serial.page.locator('.xterm-accessibility').getByText('early').first().waitFor();
    killAgent();
    for (const { page } of [screen, serial]) await page.getByText('It is opened again by itself.').waitFor();
    for (const { page } of [screen, serial]) await untilOpen(page);
    const before = await shownOn(screen);
    await typeOnScreen(screen, 'alive\n');
    await serial.page.locator('.xterm-accessibility').getByText('alive').first().waitFor();
    await expect.poll(() => shownOn(screen)).not.toBe(before);
    await terminal.press('Shift+PageUp');
    await serial.page.locator('.xterm-accessibility').getByText('early', { exact: false }).first().waitFor();
  });

  it('are closed with their session, and are there again after the log-in', async () => {
    const { page } = await stage.openPage(browser, 'operator', 'Screen');
    const { Members } = await stage.redfish.get(`${SESSIONS}?$expand=.`);
    const sessions = Members as { '@odata.id': string; UserName: string; SessionType: string }[];
    const own = sessions.findLast(({ UserName, SessionType }) => UserName === 'operator' && SessionType === 'Redfish');
    await stage.redfish.send('DELETE', own?.['@odata.id'] ?? '');
    await page.getByText('Your session has ended. Log in again.').waitFor({ timeout: 20_000 });
    await page.getByLabel('User name').fill('operator');
    await page.getByLabel('Password').fill(stage.account('operator').password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Screen' }).waitFor();
    await untilOpen(page);
  });

  it('show the screen through a power cycle and a live migration, on the same connection', async () => {
    const visitor = await stage.openPage(browser, 'owner', 'Screen');
    const { page } = visitor;
    let connections = 0;
    page.on('websocket', () => (connections += 1));
    const { client } = stage.sandbox;
    const { namespace, virtualMachine: name } = stage.bmc;
    const instance = async () => await client.get(VIRTUAL_MACHINE_INSTANCES, { namespace, name });
    const { metadata: first } = await instance();
    await page.getByRole('button', { name: 'Power', exact: true }).click();
    await page.getByRole('button', { name: 'Power cycle' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Power cycle' }).click();
    const booted = await eventually(async () => {
      const next = await instance();
      expect([next.metadata.uid === first.uid, next.status?.phase]).toEqual([false, 'Running']);
      return next;
    }, PATIENT);
    await usable(visitor);
    await picture(page, 'bmc-screen');

    await client.create(MIGRATIONS, {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceMigration',
      metadata: { namespace, name: 'move' },
      spec: { vmiName: name },
    });
    await eventually(async () => {
      expect((await instance()).status?.nodeName).not.toBe(booted.status?.nodeName);
    }, PATIENT);
    await usable(visitor);
    expect(connections).toBe(0);
  });

  /** Resolves when what is typed on the screen reaches the guest, and changes the screen. */
  async function usable(visitor: Visitor): Promise<void> {
    const arrived = (await stage.witness()).until(/poweroff/);
    const before = await shownOn(visitor);
    // What is typed before the guest has booted, or while the screen is being opened again, is lost.
    await eventually(async () => {
      await typeOnScreen(visitor, 'root\nhelp\n');
      await Promise.race([arrived, pause(1_000).then(() => Promise.reject(new Error('nothing has arrived')))]);
    }, PATIENT);
    await expect.poll(() => shownOn(visitor)).not.toBe(before);
  }
});

describe('Firefox', needs('firefox-esr'), () => {
  let page: FirefoxPage;
  beforeAll(async () => {
    page = await FirefoxPage.start();
  });
  afterAll(async () => {
    await page.close();
  });

  async function logIn(): Promise<void> {
    const { username, password } = stage.bmc;
    await page.until("document.activeElement.matches('input[autocomplete=username]')");
    await page.type(`${username}${TAB}${password}${ENTER}`);
    await page.until("document.querySelector('h1').textContent === 'Overview'");
  }

  it('shows the screen of a BMC, and types in its serial console', async () => {
    await page.visit(stage.bmc.redfish);
    await logIn();
    await page.evaluate("location.hash = '#/screen'");
    await page.until("document.querySelector('section[data-open-console] canvas')");
    const shown = "document.querySelector('.console-view canvas').toDataURL()";
    const before = await page.evaluate(shown);
    await page.type(ENTER);
    await page.until(`${shown} !== ${JSON.stringify(before)}`);
    await page.evaluate("location.hash = '#/serial'");
    await page.until("document.querySelector('section[data-open-console] .xterm')");
    await page.type(`${ENTER}root${ENTER}uname${ENTER}`);
    await page.until("document.querySelector('.xterm-accessibility').textContent.includes('Linux')");
  });

  it('leads from the link of a cluster to the pages of a BMC, and shows what is done there', async () => {
    const { namespace, name } = stage.bmc;
    await page.visit(newestLink(stage.sandbox.output()));
    await page.until("document.body.textContent.includes('Live')");
    expect(await page.evaluate('location.href')).not.toContain('key');
    await page.evaluate("location.hash = '#/bmcs'");
    await page.until(`document.querySelector('[data-key="${namespace}/${name}"]')`);
    await page.evaluate(`document.querySelector('[data-key="${namespace}/${name}"]').focus()`);
    await page.type(ENTER);
    await page.until("document.activeElement.closest('aside')");
    await page.evaluate("document.querySelector('aside a[target=_blank]').focus()");
    await page.type(ENTER);
    await page.changeTab();
    await logIn();
    await stage.redfish.reset('Pause');
    await page.until("document.querySelector('main').textContent.includes('Resume')");
    await page.changeTab();
    await page.until("document.querySelector('aside').textContent.includes('Paused')");
    await stage.redfish.reset('Resume');
    await page.until("!document.querySelector('aside').textContent.includes('Paused')");
  });
});
