import type RFB from '@novnc/novnc';
import type { Client } from '../redfish/client.ts';
import { consoleUrl, SCREEN_PATH } from './console-uris.ts';
import { type Key, symbolsOf } from './key-combinations.ts';
import { type Callbacks, isFocusFree, type Line } from './use-console.ts';

/** ms between two typed characters: a guest's keyboard buffer is small. */
const TYPING = 12;

export interface ScreenOptions {
  readonly canType: boolean;
  /** False closes the other viewers. */
  readonly isShared: boolean;
  /** Why the picture does not change, such as that the machine is off; undefined: it is live. */
  readonly paused: (why: string | undefined) => void;
}

/** A viewer of the machine's screen. */
export interface ScreenLine extends Line {
  readonly rfb: RFB;
  press(keys: readonly Key[]): void;
  /** Types a text key by key. */
  type(text: string): Promise<void>;
}

export async function openScreen(
  client: Client,
  { canType, isShared, paused }: ScreenOptions,
  element: HTMLElement,
  { isAgain, opened, ended }: Callbacks,
): Promise<ScreenLine> {
  const { default: Rfb } = await import('@novnc/novnc');
  element.textContent = '';
  // noVNC does not tell the close code, so the socket is opened here.
  const socket = new WebSocket(consoleUrl(SCREEN_PATH), client.protocols);
  socket.binaryType = 'arraybuffer';
  let problem = '';
  let isConnected = true;
  socket.addEventListener('close', ({ code, reason }) => {
    isConnected = false;
    ended(problem === '' ? code : 1002, reason === '' ? problem : reason);
  });
  const rfb = new Rfb(element, socket, { shared: isShared });
  rfb.viewOnly = !canType;
  rfb.scaleViewport = true;
  rfb.background = 'transparent';
  rfb.focusOnClick = true;
  rfb.addEventListener('connect', () => {
    opened();
    if (canType && (!isAgain || isFocusFree())) rfb.focus();
  });
  rfb.addEventListener('desktopname', ({ detail: { name } }) => {
    paused(pauseIn(name));
  });
  rfb.addEventListener('securityfailure', ({ detail }) => {
    problem = detail.reason ?? 'The BMC refused the viewer.';
  });
  let isOver = false;
  return {
    rfb,
    press: (keys) => {
      for (const { symbol, code } of keys) rfb.sendKey(symbol, code, true);
      for (const { symbol, code } of keys.toReversed()) rfb.sendKey(symbol, code, false);
    },
    type: async (text) => {
      for (const symbol of symbolsOf(text)) {
        if (isOver) return;
        rfb.sendKey(symbol, null);
        await new Promise((resolve) => setTimeout(resolve, TYPING));
      }
    },
    close: () => {
      isOver = true;
      // noVNC complains about a second end.
      if (isConnected) rfb.disconnect();
      element.textContent = '';
    },
  };
}

/** What the BMC says behind the machine's name in the name of the desktop, while the screen is not live: `vm: the machine is off`. */
export function pauseIn(desktop: string): string | undefined {
  const [, why] = /^[^:]*: (.+)$/s.exec(desktop) ?? [];
  return why && `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
}
