import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { RfbClient } from '../testing/rfb-client.ts';
import { pictureOf, resized, RfbError, STARTED, TextScreen } from './index.ts';
import { coloursIn, decodeFormat, SERVER_FORMAT } from './pixel-format.ts';

const [RAW, COPY_RECT, HEXTILE, DESKTOP_SIZE, EXTENDED_KEY] = [0, 1, 5, -223, -258];
/** What follows the bits of a pixel in a PIXEL_FORMAT: depth, big endian, true colour, maxima, shifts. */
const RGB32 = [24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16];
const RGB16 = [16, 0, 1, 0, 31, 0, 63, 0, 31, 11, 5, 0];
const BGR8 = [8, 0, 1, 0, 7, 0, 7, 0, 3, 0, 3, 6];

let screen: TextScreen;
let client: RfbClient;

beforeEach(() => {
  screen = new TextScreen();
  client = new RfbClient(screen);
});

/** Where the client's pixels are not those of the screen, in the server's format. */
function differences(): number[] {
  const colours = coloursIn(SERVER_FORMAT);
  const { pixels } = pictureOf(screen);
  const wrong = client.pixels.flatMap((value, at) => (value === colours[pixels[at] ?? -1] ? [] : [at]));
  return pixels.length === client.pixels.length ? wrong : [-1];
}

function write(text: string): void {
  screen.write(text);
  client.server.changed();
}

describe('the handshake', () => {
  const sent = (): string => Buffer.concat(client.greeting).toString('hex');
  const greeting = Buffer.from('RFB 003.008\n').toString('hex');
  // 640 × 400, the server's format, and the name "test".
  const init = '0280 0190 20 18 00 01 00ff 00ff 00ff 10 08 00 000000 00000004 74657374'.replaceAll(' ', '');

  it.each([
    ['3.8', 'RFB 003.008\n\x01\x01', `${greeting}010100000000${init}`],
    ['3.7', 'RFB 003.007\n\x01\x01', `${greeting}0101${init}`],
    ['3.3', 'RFB 003.003\n\x01', `${greeting}00000001${init}`],
    ['3.889, of a Mac', 'RFB 003.889\n\x01\x00', `${greeting}010100000000${init}`],
  ])('of version %s', (_, bytes, wanted) => {
    for (const byte of Buffer.from(bytes, 'latin1')) client.send(byte);
    expect(sent()).toBe(wanted);
  });

  it('refuses another security type, and says so', () => {
    client.server.received(Buffer.from('RFB 003.008\n'));
    expect(() => {
      client.send(2);
    }).toThrow(RfbError);
    expect(client.greeting.at(-1)?.toString('latin1')).toContain('security type 2 was not offered');
  });

  it('refuses another protocol', () => {
    expect(() => {
      client.server.received(Buffer.from('GET / HTTP/1.1\r\n'));
    }).toThrow(RfbError);
  });
});

describe('a picture', () => {
  beforeEach(() => {
    client.connect();
  });

  it('is sent only when the client asks for it', () => {
    write('text');
    expect(client.updates).toBe(0);
    client.request(false);
    expect([client.width, client.height, client.name]).toEqual([640, 400, 'test']);
    expect(differences()).toEqual([]);
  });

  it('is sent again after changes alone, and then only what has changed', () => {
    client.request(false);
    client.request(true);
    expect(client.updates).toBe(1);
    const before = [...client.pixels];
    write('x');
    expect(client.updates).toBe(2);
    expect(differences()).toEqual([]);
    // The character and the cursor beside it: two cells.
    const changed = client.pixels.flatMap((value, at) => (value === before[at] ? [] : [at % 640]));
    expect(Math.max(...changed)).toBeLessThan(16);
    write('y');
    expect(client.updates).toBe(2);
  });

  it('is sent whole if it is asked for whole', () => {
    client.request(false);
    client.pixels.fill(-1);
    client.request(false);
    expect(differences()).toEqual([]);
  });

  it('of a part has the cells of that part', () => {
    client.request(false, 20, 20, 10, 10);
    const painted = client.pixels.flatMap((value, at) => (value === -1 ? [] : [at]));
    expect(painted).toHaveLength(2 * 8 * 16);
    expect(painted[0]).toBe(16 * 640 + 16);
  });

  it('is not sent to a client that has not read the one before', () => {
    client.isBehind = true;
    for (let request = 0; request < 100; request += 1) client.request(false);
    expect(client.updates).toBe(0);
    client.isBehind = false;
    client.server.written();
    expect(client.updates).toBe(1);
    expect(differences()).toEqual([]);
  });

  it('is in hextiles if the client prefers them', () => {
    write('\x1b[1;32mgreen\x1b[0m and grey');
    client.setEncodings(HEXTILE, RAW);
    client.request(false);
    expect(client.encodings).toEqual([HEXTILE]);
    expect(differences()).toEqual([]);
  });

  it('that scrolls is moved by the client', () => {
    client.setEncodings(COPY_RECT, RAW);
    write('some text\r\n'.repeat(24));
    client.request(false);
    client.request(true);
    write('\r\nlast line');
    expect(client.encodings[0]).toBe(COPY_RECT);
    expect(differences()).toEqual([]);
  });

  it('takes another size if the client supports it', () => {
    client.setEncodings(RAW, DESKTOP_SIZE);
    client.request(false);
    client.request(true);
    write(resized(160, 50));
    expect(client.encodings).toEqual([DESKTOP_SIZE]);
    client.request(false);
    expect([client.width, client.height]).toEqual([1280, 800]);
    expect(differences()).toEqual([]);
  });

  it('keeps its size otherwise', () => {
    client.request(false);
    client.request(true);
    write(`${resized(160, 50)}text${STARTED}text`);
    expect(differences()).toEqual([]);
    client.request(true);
    write(resized(2, 2));
    expect([client.width, client.height]).toEqual([640, 400]);
  });

  it.each([
    ['32 bits, red lowest', 32, RGB32, 0x00aa00, 0xaa0000],
    ['16 bits', 16, RGB16, 42 << 5, 21],
    ['8 bits, blue highest', 8, BGR8, 5 << 3, 2 << 6],
  ] as const)('has pixels of %s', (_, bits, format, green, blue) => {
    write('\x1b[42m \x1b[44m ');
    client.setFormat(bits, format);
    client.request(false);
    expect([client.pixels[0], client.pixels[8]]).toEqual([green, blue]);
  });

  it('has big-endian pixels', () => {
    write('\x1b[44m ');
    client.setFormat(16, [16, 1, ...RGB16.slice(2)]);
    client.request(false);
    expect(client.pixels[0]).toBe(21 << 8);
  });
});

describe('keys', () => {
  beforeEach(() => {
    client.connect();
  });

  it('arrive as text', () => {
    client.send(4, 1, 0, 0, 0, 0, 0, 0x61, 4, 0, 0, 0, 0, 0, 0, 0x61);
    expect(client.keys).toEqual([{ text: 'a' }]);
  });

  it("arrive as QEMU's extended key events, once these are announced", () => {
    client.setEncodings(EXTENDED_KEY);
    client.request(true);
    expect(client.encodings[0]).toBe(EXTENDED_KEY);
    client.send(255, 0, 0, 1, 0, 0, 0, 0x61, 0, 0, 0, 0x1e);
    expect(client.keys).toEqual([{ text: 'a' }]);
  });

  it('follow a pointer, and a cut text that comes in parts', () => {
    client.send(5, 1, 0, 9, 0, 9, 6, 0, 0, 0, 0, 0, 0, 3, 4);
    client.send(4, 4, 4, 1, 0, 0, 0, 0, 0, 0x62);
    expect(client.keys).toEqual([{ text: 'b' }]);
  });
});

describe('a client is refused', () => {
  beforeEach(() => {
    client.connect();
  });

  it.each([
    ['an unknown message', [7]],
    ['a cut text of 16 MiB', [6, 0, 0, 0, 1, 0, 0, 0]],
    ['an extended clipboard', [6, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]],
    ['65,535 encodings', [2, 0, 0xff, 0xff]],
    ["another message of QEMU's", [255, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
    ['24 bits per pixel', [0, 0, 0, 0, 24, ...RGB32, 0, 0, 0]],
    ['a colour map', [0, 0, 0, 0, 8, 8, 0, 0, ...BGR8.slice(3), 0, 0, 0]],
    ['a colour outside its pixel', [0, 0, 0, 0, 8, 8, 0, 1, 0, 7, 0, 7, 0, 7, 0, 3, 6, 0, 0, 0]],
  ])('for %s', (_, bytes) => {
    expect(() => {
      client.send(...bytes);
    }).toThrow(RfbError);
  });
});

const text = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.constantFrom(
    '\r\n',
    '\n'.repeat(7),
    'line\r\n'.repeat(30),
    '\x1b[2J',
    '\x1b[31;1m',
    '\x1b[44m',
    STARTED,
    resized(90, 30),
  ),
);
const deed = fc.oneof(
  text.map((written) => ({ kind: 'write' as const, written })),
  fc.record({ kind: fc.constant('request' as const), incremental: fc.boolean() }),
  fc.record({
    kind: fc.constant('part' as const),
    box: fc.tuple(fc.nat(700), fc.nat(500), fc.nat(65_535), fc.nat(65_535)),
  }),
  fc.record({
    kind: fc.constant('encodings' as const),
    encodings: fc.subarray([HEXTILE, RAW, COPY_RECT, EXTENDED_KEY], { minLength: 0 }),
  }),
);

describe('after anything that happens', () => {
  it('the picture of a client is the screen', () => {
    fc.assert(
      fc.property(fc.array(deed, { maxLength: 25 }), (deeds) => {
        screen = new TextScreen();
        client = new RfbClient(screen).connect();
        client.setEncodings(DESKTOP_SIZE);
        for (const step of deeds) {
          if (step.kind === 'write') write(step.written);
          else if (step.kind === 'request') client.request(step.incremental);
          else if (step.kind === 'part') client.request(false, ...step.box);
          else client.setEncodings(...step.encodings, DESKTOP_SIZE);
        }
        // A first answer may be a new size.
        client.request(true);
        client.request(true);
        client.request(true);
        expect(differences()).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  it('any bytes of a client are answered or refused', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 20 }), fc.boolean(), (parts, isConnected) => {
        const any = new RfbClient(new TextScreen());
        if (isConnected) any.connect();
        try {
          for (const part of parts) any.server.received(Buffer.from(part));
        } catch (error) {
          expect(error).toBeInstanceOf(RfbError);
        }
      }),
    );
  });

  it('any pixel format is refused, or has pixels of its length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), fc.constantFrom(8, 16, 32), (bytes, bits) => {
        const format = Buffer.from(bytes);
        format.set([bits, 0, 0, 1]);
        try {
          expect(coloursIn(decodeFormat(format)).BYTES_PER_ELEMENT).toBe(bits / 8);
        } catch (error) {
          expect(error).toBeInstanceOf(RfbError);
        }
      }),
    );
  });
});
