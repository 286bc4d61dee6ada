import type RFB from '@novnc/novnc';
import type { Client } from '../redfish/client.ts';
import { consoleUrl, SCREEN_PATH } from './console-uris.ts';
import type { Key } from './key-combinations.ts';
import type { Stroke } from './us-layout.ts';
import type { Callbacks, Line } from './use-console.ts';

/**
 * ms for a key that goes down or up. QEMU passes one such event on in 10 ms (`key-delay-ms` of its VNC server), and drops
 * those for which its queue has no place.
 */
const KEY_TIME = 12;

const SHIFT: Key = { symbol: 0xffe1, code: 'ShiftLeft' };

export interface ScreenOptions {
  readonly canType: boolean;
  /** False closes the other viewers. */
  readonly isShared: boolean;
  readonly isScaled: boolean;
  /** Id of the element that tells how to leave the screen by the keyboard. */
  readonly helpId: string;
  /** Why the picture does not change, such as that the machine is off; undefined: it is live. */
  readonly paused: (why: string | undefined) => void;
}

/** A viewer of the machine's screen. */
export interface ScreenLine extends Line {
  readonly rfb: RFB;
  /** Presses the keys together. The screen then has the focus, so that the next key is not another press of a button. */
  press(keys: readonly Key[]): void;
  /**
   * Types keys one after the other, until the signal is aborted or the screen is not live.
   *
   * @param typed gets the number of those that were sent, after each
   */
  type(strokes: readonly Stroke[], signal: AbortSignal, typed: (count: number) => void): Promise<void>;
}

export async function openScreen(
  client: Client,
  { canType, isShared, isScaled, helpId, paused }: ScreenOptions,
  element: HTMLElement,
  { takesFocus, opened, ended }: Callbacks,
): Promise<ScreenLine> {
  const { default: Rfb } = await import('@novnc/novnc');
  element.textContent = '';
  // noVNC does not tell the close code, so the socket is opened here.
  const socket = new WebSocket(consoleUrl(SCREEN_PATH), client.protocols);
  socket.binaryType = 'arraybuffer';
  let problem = '';
  let isConnected = true;
  let isLive = true;
  socket.addEventListener('close', ({ code, reason }) => {
    isConnected = false;
    ended(problem === '' ? code : 1002, reason === '' ? problem : reason);
  });
  const rfb = new Rfb(element, socket, { shared: isShared });
  rfb.viewOnly = !canType;
  rfb.scaleViewport = isScaled;
  rfb.background = 'transparent';
  rfb.focusOnClick = true;
  if (canType) reachByKeyboard(element.querySelector('canvas'), helpId);
  rfb.addEventListener('connect', () => {
    opened();
    if (canType && takesFocus()) rfb.focus();
  });
  rfb.addEventListener('desktopname', ({ detail: { name } }) => {
    const why = pauseIn(name);
    isLive = why === undefined;
    paused(why);
  });
  rfb.addEventListener('securityfailure', ({ detail }) => {
    problem = detail.reason ?? 'The BMC refused the viewer.';
  });
  return {
    rfb,
    press: (keys) => {
      for (const { symbol, code } of keys) rfb.sendKey(symbol, code, true);
      for (const { symbol, code } of keys.toReversed()) rfb.sendKey(symbol, code, false);
      rfb.focus();
    },
    type: async (strokes, signal, typed) => {
      let hasShift = false;
      for (const [index, { key, isShifted }] of strokes.entries()) {
        if (isShifted !== hasShift) {
          hasShift = isShifted;
          rfb.sendKey(SHIFT.symbol, SHIFT.code, isShifted);
          await passed(KEY_TIME);
        }
        if (!isConnected || !isLive || signal.aborted) break;
        // Without a pause: a key that is held while the browser slows a hidden page down would repeat.
        rfb.sendKey(key.symbol, key.code);
        typed(index + 1);
        await passed(2 * KEY_TIME);
      }
      if (hasShift) rfb.sendKey(SHIFT.symbol, SHIFT.code, false);
    },
    close: () => {
      // noVNC complains about a second end.
      if (isConnected) rfb.disconnect();
      isConnected = false;
      element.textContent = '';
    },
  };
}

/** Makes the picture a place for the Tab key, and gives the guest no key that is still held when it loses the focus. */
function reachByKeyboard(canvas: HTMLCanvasElement | null, helpId: string): void {
  if (canvas === null) return;
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-label', 'Screen of the machine');
  canvas.setAttribute('aria-describedby', helpId);
  canvas.addEventListener('blur', () => {
    // noVNC releases keys when the window loses the focus, and misses those that are released elsewhere in the page.
    dispatchEvent(new FocusEvent('blur'));
  });
}

async function passed(time: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, time));
}

/** What the BMC says behind the machine's name in the name of the desktop, while the screen is not live: `vm: the machine is off`. */
export function pauseIn(desktop: string): string | undefined {
  const [, why] = /^[^:]*: (.+)$/s.exec(desktop) ?? [];
  return why && `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
}
