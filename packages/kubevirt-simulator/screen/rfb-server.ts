import { ClientMessages, type ClientMessage } from './client-messages.ts';
import { ClientPicture, type Change } from './client-picture.ts';
import { ENCODING, hextile, raw } from './encodings.ts';
import { GLYPH } from './font.ts';
import { Keyboard, type KeyStroke } from './keyboard.ts';
import { paint, type Area } from './picture.ts';
import { coloursIn, encodeFormat, SERVER_FORMAT } from './pixel-format.ts';
import { RfbError } from './rfb-error.ts';
import type { TextScreen } from './text-screen.ts';

export interface RfbServerOptions {
  screen: TextScreen;
  /** Name of the desktop. */
  name: string;
  send: (bytes: Buffer) => void;
  /** Whether the client has not yet read what was sent: then no picture is sent until `written`. */
  isBehind: () => boolean;
  onKey: (stroke: KeyStroke) => void;
}

/** The only security type: none. The API server has authorized the client. */
const NONE = 1;

/**
 * The server's side of one RFB connection (RFC 6143; versions 3.3, 3.7 and 3.8), without its transport. It sends only
 * what the client has asked for, and only cells that have changed.
 */
export class RfbServer {
  readonly #options: RfbServerOptions;
  readonly #messages = new ClientMessages();
  readonly #keyboard = new Keyboard();
  #minor = 0;
  #colours = coloursIn(SERVER_FORMAT);
  #encode: typeof raw = raw;
  #encodingNumber: number = ENCODING.raw;
  #canMove = false;
  #canResize = false;
  /** Whether the client is to be told that it may send extended key events. */
  #announcesKeys = false;
  #picture: ClientPicture;
  /** The part that the client waits for. */
  #wanted: Area | undefined;

  constructor(options: RfbServerOptions) {
    this.#options = options;
    this.#picture = new ClientPicture(options.screen);
  }

  start(): void {
    this.#options.send(Buffer.from('RFB 003.008\n', 'latin1'));
  }

  /** Takes bytes of the client. @throws RfbError if the connection must be closed */
  received(bytes: Buffer): void {
    for (const message of this.#messages.read(bytes)) this.#handle(message);
  }

  /** The screen has changed. */
  changed(): void {
    this.#update();
  }

  /** The client has read what was sent. */
  written(): void {
    this.#update();
  }

  #handle(message: ClientMessage): void {
    const { send, onKey } = this.#options;
    switch (message.type) {
      case 'version':
        this.#minor = message.minor;
        // Version 3.3 has the server decide (RFC 6143, appendix A).
        send(message.minor === 3 ? Buffer.of(0, 0, 0, NONE) : Buffer.of(1, NONE));
        break;
      case 'security':
        this.#secure(message.chosen);
        break;
      case 'init':
        this.#picture = new ClientPicture(this.#options.screen);
        send(this.#serverInit());
        break;
      case 'format':
        this.#colours = coloursIn(message.format);
        break;
      case 'encodings':
        this.#choose(message.encodings);
        this.#update();
        break;
      case 'update': {
        const area = this.#picture.areaOf(message);
        if (!message.incremental) this.#picture.forget(area);
        this.#wanted = this.#wanted === undefined ? area : around(this.#wanted, area);
        this.#update();
        break;
      }
      case 'key': {
        const stroke = this.#keyboard.press(message.keysym, message.isDown, message.number);
        if (stroke !== undefined) onKey(stroke);
        break;
      }
    }
  }

  /** SecurityResult, which only version 3.8 has for security type None. */
  #secure(chosen: number): void {
    if (chosen === NONE) {
      if (this.#minor === 8) this.#options.send(Buffer.alloc(4));
      return;
    }
    const reason = Buffer.from(`security type ${chosen} was not offered`, 'latin1');
    if (this.#minor === 8) this.#options.send(Buffer.concat([Buffer.of(0, 0, 0, 1), uint32(reason.length), reason]));
    throw new RfbError(reason.toString('latin1'));
  }

  #serverInit(): Buffer {
    const { width, height } = this.#picture;
    const name = Buffer.from(this.#options.name, 'utf8');
    return Buffer.concat([uint16(width, height), encodeFormat(SERVER_FORMAT), uint32(name.length), name]);
  }

  #choose(encodings: readonly number[]): void {
    const chosen = encodings.find((number) => number === ENCODING.raw || number === ENCODING.hextile);
    this.#encodingNumber = chosen ?? ENCODING.raw;
    this.#encode = chosen === ENCODING.hextile ? hextile : raw;
    this.#canMove = encodings.includes(ENCODING.copyRect);
    this.#canResize = encodings.includes(ENCODING.desktopSize);
    this.#announcesKeys = encodings.includes(ENCODING.extendedKeyEvent);
  }

  /** Sends a FramebufferUpdate if the client waits for one and there is something to show (RFC 6143 § 7.6.1). */
  #update(): void {
    const wanted = this.#wanted;
    const { screen, isBehind, send } = this.#options;
    if (wanted === undefined || isBehind()) return;
    const rectangles: Buffer[] = [];
    if (this.#announcesKeys) {
      const { width, height } = this.#picture;
      rectangles.push(header(0, 0, width, height, ENCODING.extendedKeyEvent));
    }
    if (this.#canResize && !this.#picture.hasSizeOf(screen)) {
      this.#picture = new ClientPicture(screen);
      const { width, height } = this.#picture;
      rectangles.push(header(0, 0, width, height, ENCODING.desktopSize));
    } else {
      for (const change of this.#picture.follow(screen, wanted, this.#canMove)) rectangles.push(this.#show(change));
    }
    if (rectangles.length === 0) return;
    this.#announcesKeys = false;
    this.#wanted = undefined;
    send(Buffer.concat([Buffer.of(0, 0), uint16(rectangles.length), ...rectangles]));
  }

  /** A rectangle of an update. */
  #show(change: Change): Buffer {
    const { width, height, cells, columns } = this.#picture;
    if (change.kind === 'moved') {
      const by = change.lines * GLYPH.height;
      return Buffer.concat([header(0, 0, width, height - by, ENCODING.copyRect), uint16(0, by)]);
    }
    const { area } = change;
    const picture = paint(cells, columns, area);
    const [x, y] = [area.column * GLYPH.width, area.row * GLYPH.height];
    return Buffer.concat([
      header(x, y, picture.width, picture.height, this.#encodingNumber),
      this.#encode(picture, this.#colours),
    ]);
  }
}

/** The smallest part that contains both. */
function around(one: Area, other: Area): Area {
  const column = Math.min(one.column, other.column);
  const row = Math.min(one.row, other.row);
  const columns = Math.max(one.column + one.columns, other.column + other.columns) - column;
  const rows = Math.max(one.row + one.rows, other.row + other.rows) - row;
  return { column, row, columns, rows };
}

function header(x: number, y: number, width: number, height: number, encoding: number): Buffer {
  const number = Buffer.alloc(4);
  number.writeInt32BE(encoding);
  return Buffer.concat([uint16(x, y, width, height), number]);
}

function uint16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, 2 * index);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
