import { describe, expect, it } from 'vitest';
import { OPTION } from '../options/option-code.ts';
import { MAC, message } from '../testing/test-network.ts';
import { PacketView } from './packet-view.ts';

/** A DISCOVER with these bytes for options, its type among them or not. */
function withOptions(...bytes: number[]): Buffer {
  return Buffer.concat([message('discover').subarray(0, 240), Buffer.from(bytes)]);
}

/** With bytes put into the fields `file` and `sname`. */
function withFields(fields: { file?: number[]; sname?: number[] }, ...options: number[]): Buffer {
  const datagram = withOptions(...options);
  Buffer.from(fields.file ?? []).copy(datagram, 108);
  Buffer.from(fields.sname ?? []).copy(datagram, 44);
  return datagram;
}

function read(datagram: Buffer): PacketView {
  const packet = new PacketView();
  expect(packet.read(datagram)).toBeUndefined();
  return packet;
}

function option(packet: PacketView, code: number): string | undefined {
  const value = packet.option(code);
  return value && Buffer.from(value).toString('hex');
}

describe('the fields of a datagram', () => {
  it('are read from where RFC 2131 has them', () => {
    const datagram = Buffer.alloc(241);
    for (let i = 0; i < 240; i += 1) datagram[i] = i;
    datagram.writeUInt8(6, 2);
    datagram.writeUInt32BE(0x63825363, 236);
    datagram.writeUInt8(255, 240);
    const packet = read(datagram);
    expect({
      op: packet.op,
      htype: packet.htype,
      hops: packet.hops,
      xid: packet.xid,
      secs: packet.secs,
      flags: packet.flags,
      ciaddr: packet.ciaddr,
      yiaddr: packet.yiaddr,
      siaddr: packet.siaddr,
      giaddr: packet.giaddr,
      macAddress: packet.macAddress,
    }).toEqual({
      op: 0,
      htype: 1,
      hops: 3,
      xid: 0x04050607,
      secs: 0x0809,
      flags: 0x0a0b,
      ciaddr: 0x0c0d0e0f,
      yiaddr: 0x10111213,
      siaddr: 0x14151617,
      giaddr: 0x18191a1b,
      macAddress: 0x1c1d1e1f2021,
    });
    expect([packet.sname.length, packet.sname[0], packet.file.length, packet.file[0]]).toEqual([64, 44, 128, 108]);
  });

  it('are unsigned', () => {
    const datagram = message('discover', {}, { xid: 0xfedcba98, macAddress: 0xffffffffffff, giaddr: 0xffffffff });
    expect(read(datagram)).toMatchObject({ xid: 0xfedcba98, macAddress: 0xffffffffffff, giaddr: 0xffffffff });
  });

  it('for text end at their NUL', () => {
    const packet = read(withFields({ file: [65, 66, 0, 67], sname: [] }, 255));
    expect(Buffer.from(packet.file).toString()).toBe('AB');
    expect(packet.sname).toHaveLength(0);
  });

  it('have a broadcast flag', () => {
    expect(read(message('discover', {}, { flags: 0x8000 })).wantsBroadcast).toBe(true);
    expect(read(message('discover', {}, { flags: 0x7fff })).wantsBroadcast).toBe(false);
  });
});

describe('options', () => {
  it('are views of the datagram', () => {
    const datagram = withOptions(12, 2, 65, 66, 255);
    datagram[243] = 67;
    expect(option(read(datagram), 12)).toBe('4143');
    expect(read(datagram).option(12)?.buffer).toBe(datagram.buffer);
  });

  it('are found after pads, one of which is one byte (npm dhcp skips two)', () => {
    expect(read(withOptions(0, 50, 4, 10, 0, 0, 1, 0, 0, 53, 1, 3, 255)).u32(50)).toBe(0x0a000001);
    expect(read(withOptions(0, 0, 0, 53, 1, 3, 255)).messageType).toBe(3);
  });

  it('end at the end', () => {
    expect(read(withOptions(255, 12, 200)).has(12)).toBe(false);
  });

  it('need no end', () => {
    expect(read(withOptions(53, 1, 3)).messageType).toBe(3);
  });

  it('may be empty', () => {
    const packet = read(withOptions(80, 0, 255));
    expect(packet.has(80)).toBe(true);
    expect(option(packet, 80)).toBe('');
  });

  it('are undefined where they are absent', () => {
    const packet = read(withOptions(255));
    expect([packet.option(12), packet.u8(53), packet.u16(57), packet.u32(50), packet.messageType]).toEqual(
      Array.from({ length: 5 }),
    );
  });

  it('of another length than their number takes are undefined, and move nothing', () => {
    const packet = read(withOptions(57, 1, 5, 50, 3, 1, 2, 3, 53, 2, 1, 1, 12, 1, 65, 255));
    expect([packet.u16(57), packet.u32(50), packet.messageType]).toEqual([undefined, undefined, undefined]);
    expect(option(packet, 12)).toBe('41');
  });

  it('are listed in the order in which they came first', () => {
    expect(read(withOptions(53, 1, 1, 12, 1, 65, 53, 1, 2, 0, 6, 0, 255)).codes()).toEqual([53, 12, 6]);
  });

  it('are none of the datagram before', () => {
    const packet = new PacketView();
    packet.read(withOptions(12, 1, 65, 12, 1, 66, 52, 1, 3, 255));
    packet.read(withOptions(12, 1, 67, 255));
    expect(option(packet, 12)).toBe('43');
    expect(packet.codes()).toEqual([12]);
  });
});

describe('options in pieces (RFC 3396)', () => {
  it('are joined', () => {
    const packet = read(withOptions(12, 1, 65, 53, 1, 1, 12, 2, 66, 67, 255));
    expect(option(packet, 12)).toBe('414243');
    expect(packet.messageType).toBe(1);
  });

  it('longer than 255 bytes are joined', () => {
    const long = Array.from({ length: 255 }, () => 7);
    expect(read(withOptions(119, 255, ...long, 119, 3, 1, 2, 3, 255)).option(119)).toHaveLength(258);
  });

  it('of numbers are what the first piece says where that is one', () => {
    expect(read(withOptions(53, 1, 1, 53, 1, 2, 255)).messageType).toBe(1);
  });

  it('do not equal the first piece', () => {
    const packet = read(withOptions(55, 1, 1, 55, 1, 3, 255));
    expect(packet.equals(55, Uint8Array.of(1))).toBe(false);
    expect(read(withOptions(55, 1, 1, 255)).equals(55, Uint8Array.of(1))).toBe(true);
  });
});

describe('overloaded fields (option 52)', () => {
  it.each([
    [1, '41', undefined],
    [2, undefined, '42'],
    [3, '41', '42'],
    [0, undefined, undefined],
    [4, undefined, undefined],
  ])('%i says which hold options', (overload, inFile, inSname) => {
    const packet = read(withFields({ file: [12, 1, 65, 255], sname: [15, 1, 66, 255] }, 52, 1, overload, 255));
    expect(option(packet, 12)).toBe(inFile);
    expect(option(packet, 15)).toBe(inSname);
    expect(packet.file).toHaveLength((overload & 1) === 1 && overload < 4 ? 0 : 4);
    expect(packet.sname).toHaveLength((overload & 2) === 2 && overload < 4 ? 0 : 4);
  });

  it('go on with what the options began: options, file, sname', () => {
    const packet = read(
      withFields({ file: [12, 1, 66, 255], sname: [12, 1, 67, 255] }, 52, 1, 3, 53, 1, 1, 12, 1, 65, 255),
    );
    expect(option(packet, 12)).toBe('414243');
    expect(packet.codes()).toEqual([52, 53, 12]);
  });

  it('overload nothing themselves', () => {
    expect(read(withFields({ file: [52, 1, 3, 255], sname: [12, 1, 65] }, 52, 1, 1, 255)).has(12)).toBe(false);
  });

  it('end where the field does', () => {
    const file = [...Array.from({ length: 126 }, () => 0), 12, 1];
    expect(new PacketView().read(withFields({ file }, 52, 1, 1, 255))).toBe(
      'option 12 in file needs 1 bytes, there are 0',
    );
    expect(new PacketView().read(withFields({ sname: file.slice(64) }, 52, 1, 2, 255))).toBe(
      'option 12 in sname needs 1 bytes, there are 0',
    );
  });

  it('are not said by an empty option', () => {
    expect(read(withFields({ file: [12, 1, 65] }, 52, 0, 3, 1, 1, 255)).has(12)).toBe(false);
  });
});

describe('a datagram that is none', () => {
  it.each<[string, Buffer, string]>([
    ['empty', Buffer.alloc(0), 'op is cut off: 0 of 240 bytes'],
    ['one byte short of options', message('discover').subarray(0, 239), 'cookie is cut off: 239 of 240 bytes'],
    ['cut in the hardware address', message('discover').subarray(0, 30), 'chaddr is cut off: 30 of 240 bytes'],
    ['an option without length', withOptions(53, 1, 1, 50), 'option 50 in options is cut off before its length'],
    ['an option without all of its value', withOptions(50, 4, 1), 'option 50 in options needs 4 bytes, there are 1'],
  ])('is told by its field: %s', (_name, datagram, fault) => {
    expect(new PacketView().read(datagram)).toBe(fault);
  });

  it('takes as many steps as it has bytes, at most', () => {
    const packet = new PacketView();
    packet.read(withOptions(...Array.from({ length: 60_000 }, () => 0)));
    expect(packet.steps).toBe(60_000);
    packet.read(withOptions(...Array.from({ length: 30_000 }, () => [12, 0]).flat()));
    expect(packet.steps).toBe(30_000);
    expect(packet.option(12)).toHaveLength(0);
  });
});

describe('comparing without a copy', () => {
  const packet = read(message('discover', { [OPTION.vendorClass]: Buffer.from('PXEClient:Arch:00000') }));

  it.each([
    ['PXEClient', true],
    ['', true],
    ['HTTPClient', false],
    ['PXEClient:Arch:00000:UNDI', false],
  ])('starts with %s: %o', (prefix, expected) => {
    expect(packet.startsWith(OPTION.vendorClass, Buffer.from(prefix))).toBe(expected);
  });

  it('gives the same hash for the same value', () => {
    const other = read(message('request', { [12]: Buffer.from('PXEClient:Arch:00000') }));
    expect(other.hash(12)).toBe(packet.hash(OPTION.vendorClass));
    expect(packet.macAddress).toBe(MAC);
  });
});
