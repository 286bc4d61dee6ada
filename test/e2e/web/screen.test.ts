import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs } from '../../tools/index.ts';
import { startBrowser, type Visitor } from './browser.ts';
import { BmcStage, PATIENT, shownOn, typeOnScreen, untilOpen } from './bmc-stage.ts';

/** What a visitor of the page of the screen does with the keyboard and with its buttons. */

const PRINTABLE = Array.from({ length: 0x5f }, (_, index) => String.fromCharCode(0x20 + index)).join('');

let stage: BmcStage;

beforeAll(async () => {
  stage = await BmcStage.start();
}, 120_000);

afterAll(async () => {
  await stage.close();
});

describe('the screen of a BMC in Chromium', needs('chromium'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
  });

  it('types texts: all characters of a US keyboard, how far it is, and not more than is wanted', async () => {
    const guest = await stage.witness();
    const visitor = await stage.openPage(browser, 'owner', 'Screen');
    const { page } = visitor;
    await typeOnScreen(visitor, '\nroot\n');
    await guest.until(/root@\S+ /);
    await typeOnScreen(visitor, `${PRINTABLE}\n`);
    expect(await guest.until(/~\r\n/)).toContain(PRINTABLE);
    await page.getByText('96 of 96 characters were typed.').waitFor();

    await typeOnScreen(visitor, 'y'.repeat(900));
    await page.getByText(/^Typing: [1-9]\d* of 900$/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    const stopped = await page.getByText(/^Stopped: \d+ of 900 characters were typed\.$/).innerText();
    await expectFocus(page, 'CANVAS');
    await page.keyboard.press('Enter');
    const [line] = /y+\r/.exec(await guest.until(/y+\r/)) ?? [];
    expect(stopped).toContain(` ${(line?.length ?? 0) - 1} of 900 `);

    await page.getByRole('button', { name: 'Paste' }).click();
    const text = page.getByLabel('Text', { exact: true });
    await text.fill('x'.repeat(10_001));
    const type = page.getByRole('button', { name: 'Type' });
    const tooLong = 'The text has 10,001 characters, and at most 10,000 are typed at once. Type it in parts.';
    await expect.poll(() => type.getAttribute('data-reason')).toBe(tooLong);
    await text.fill('aäbä€');
    await page.getByText('3 characters are not on a US keyboard: ä €. The text is typed without them.').waitFor();
    expect(await visitor.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Type without them' }).click();
    await guest.until(/# ab/);
  });

  it('takes the keyboard, and gives it back', async () => {
    const guest = await stage.witness();
    const { page } = await stage.openPage(browser, 'owner', 'Screen');
    await expectFocus(page, 'CANVAS');
    for (const key of ['Enter', 'k', 'Shift+KeyE', 'Shift+Digit1', 'Shift+Minus', 'y']) await page.keyboard.press(key);
    await guest.until(/kE!_y/);
    for (const key of ['Control', 'Alt', 'Shift']) await page.keyboard.down(key);
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Controls of the screen');
    for (const key of ['Shift', 'Alt', 'Control']) await page.keyboard.up(key);
    await page.keyboard.press('Tab');
    await expectFocus(page, 'Ctrl-Alt-Del');
    // To the last button, and on to the screen.
    await page.getByRole('button', { name: 'Full screen' }).focus();
    await page.keyboard.press('Tab');
    await expectFocus(page, 'CANVAS');
    // Control and Alt, which the guest got, are not held any more.
    await page.keyboard.type('free');
    await guest.until(/free/);

    const power = page.getByRole('button', { name: 'Power', exact: true });
    await power.click();
    await page.getByRole('button', { name: 'Power off now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await expectFocus(page, 'Power');
    await page.getByRole('button', { name: 'Keys' }).click();
    for (const name of ['Tab', 'Delete', 'F1', 'F12']) {
      expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(1);
    }
    await page.getByRole('button', { name: 'Escape' }).click();
    await expectFocus(page, 'CANVAS');
    await page.getByRole('button', { name: 'Ctrl-Alt-Del', exact: true }).click();
    await page.keyboard.press('Enter');
    await guest.until(/Restarting system/);
    const booted = await guest.until(/login: /);
    await page.keyboard.type('again');
    expect(booted + (await guest.until(/again/))).not.toContain('Restarting system');
  });

  it('leaves the focus to what the reader opens while it connects', async () => {
    const visitor = await stage.visitor(browser, 'owner');
    const { page } = visitor;
    const held = Promise.withResolvers<undefined>();
    await page.route(/\/rfb-\w+\.js$/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await visitor.visit('Screen');
    await page.locator('main').getByRole('button', { name: 'Power', exact: true }).click();
    held.resolve(undefined);
    await untilOpen(page);
    expect(await page.getByRole('button', { name: 'Power cycle' }).isVisible()).toBe(true);
  });

  it('changes when an operator powers the machine off and on, and shows what its picture shows', async () => {
    const operator = await stage.openPage(browser, 'operator', 'Screen');
    const { page } = operator;
    const choose = async (action: string): Promise<void> => {
      await page.getByRole('button', { name: 'Power', exact: true }).click();
      await page.getByRole('button', { name: action }).click();
    };
    await choose('Power off now');
    await page.getByRole('dialog').getByRole('button', { name: 'Power off now' }).click();
    const off = page.getByRole('status').getByText('The machine is off; its screen comes when it is on.');
    await off.waitFor(PATIENT);
    expect(await page.getByRole('button', { name: 'Paste' }).getAttribute('data-reason')).toContain('is off');
    const black = await shownOn(operator);
    await choose('Power on');
    await off.waitFor({ state: 'hidden', ...PATIENT });
    await (await stage.witness()).until(/login: /);
    expect(await shownOn(operator)).not.toBe(black);
    await expect.poll(() => differences(operator), PATIENT).toBe(0);
  });

  /** Pixels in which the screen differs from the picture that the BMC serves: noVNC against the browser's decoder of PNG. */
  async function differences({ page }: Visitor): Promise<number> {
    const headers = { authorization: stage.authorization('viewer') };
    const answer = await page.request.get(`${stage.bmc.redfish}/kvm/0/screenshot`, { headers });
    const png = (await answer.body()).toString('base64');
    return await page.evaluate(`(async () => {
      const bytes = Uint8Array.from(atob('${png}'), (byte) => byte.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes]));
      const drawn = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
      drawn.drawImage(picture, 0, 0);
      const shown = document.querySelector('.console-view canvas').getContext('2d');
      const [a, b] = [drawn, shown].map((context) => {
        const { width, height } = context.canvas;
        return new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
      });
      return a.length === b.length ? a.filter((pixel, at) => pixel !== b[at]).length : -1;
    })()`);
  }

  it('keeps its scale when it is opened again, and shows notices in full screen', async () => {
    const { page } = await stage.openPage(browser, 'owner', 'Screen');
    const canvas = page.locator('.console-view canvas');
    const scale = page.getByRole('button', { name: 'Scale' });
    const width = async (): Promise<number | undefined> => (await canvas.boundingBox())?.width;
    expect(await width()).not.toBe(640);
    await scale.click();
    await expect.poll(width).toBe(640);
    await page.evaluate("document.querySelector('.console-view canvas').dataset.old = ''");
    await page.getByRole('button', { name: 'Take over, and close the screen of all other viewers' }).click();
    await page.locator('.console-view canvas:not([data-old])').waitFor();
    await untilOpen(page);
    await expect.poll(width).toBe(640);
    expect(await scale.getAttribute('aria-pressed')).toBe('false');

    await page.getByRole('button', { name: 'Full screen' }).click();
    await page.getByRole('navigation').waitFor({ state: 'hidden' });
    const box = await page.getByRole('region', { name: 'Screen' }).boundingBox();
    expect(box).toEqual({ x: 0, y: 0, ...page.viewportSize() });
    await page.route('**/ComputerSystem.Reset', (route) => route.fulfill({ status: 500 }));
    await page.getByRole('button', { name: 'Power', exact: true }).click();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    // A click needs a notice that is on top.
    await page.getByRole('button', { name: 'Close this notice' }).click();
    await page.getByRole('button', { name: 'Full screen' }).click();
    await page.getByRole('navigation').waitFor();
    await page.evaluate('Element.prototype.requestFullscreen = () => Promise.reject(new TypeError("not granted"))');
    await page.getByRole('button', { name: 'Full screen' }).click();
    await page.getByText('The browser has refused the full screen.').waitFor();
  });

  it('says why it is not there: the BMC does not tell of it, or has another version than the page', async () => {
    const system = /\/redfish\/v1\/Systems\/1$/;
    const visitor = await stage.stranger(browser);
    const { page } = visitor;
    await page.route(system, (route) => route.fulfill({ status: 503 }));
    await page.route(/\/(rfb|xterm)-\w+\.js$/, (route) => route.fulfill({ status: 404 }));
    await stage.logIn(visitor, 'owner');
    await visitor.visit('Screen');
    await page.getByText('The BMC answered with HTTP status 503.').first().waitFor();
    await page.unroute(system);
    await page.getByRole('button', { name: 'Try again' }).click();
    const words = page.getByText('This page is of another version of the BMC. Reload it and log in again.');
    await words.waitFor();
    await visitor.visit('Serial console');
    await words.waitFor();
  });
});

/** Resolves when an element of this name, or with this text, has the focus. */
async function expectFocus(page: Page, name: string): Promise<void> {
  const focus = '[document.activeElement.tagName, document.activeElement.textContent.trim()]';
  await expect.poll(() => page.evaluate(focus)).toContain(name);
}
