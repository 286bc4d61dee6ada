import { describe, expect, it } from 'vitest';
import { OPTION } from '../options/option-code.ts';
import { MAC, message } from '../testing/test-network.ts';
import { PacketView } from './packet-view.ts';

/** A DISCOVER with these option bytes. */
function withOptions(...bytes: number[]): Buffer {
  return Buffer.concat([message('discover').subarray(0, 240), Buffer.from(bytes)]);
}

/** With these bytes in the fields `file` and `sname`. */
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

describe('PacketView: header fields', () => {
  it('reads them at the offsets of RFC 2131', () => {
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

  it('reads them as unsigned numbers', () => {
    const datagram = message('discover', {}, { xid: 0xfedcba98, macAddress: 0xffffffffffff, giaddr: 0xffffffff });
    expect(read(datagram)).toMatchObject({ xid: 0xfedcba98, macAddress: 0xffffffffffff, giaddr: 0xffffffff });
  });

  it('ends text at the first NUL', () => {
    const packet = read(withFields({ file: [65, 66, 0, 67], sname: [] }, 255));
    expect(Buffer.from(packet.file).toString()).toBe('AB');
    expect(packet.sname).toHaveLength(0);
  });

  it('reads the broadcast flag', () => {
    expect(read(message('discover', {}, { flags: 0x8000 })).wantsBroadcast).toBe(true);
    expect(read(message('discover', {}, { flags: 0x7fff })).wantsBroadcast).toBe(false);
  });
});

describe('PacketView: options', () => {
  it('returns views of the datagram', () => {
    const datagram = withOptions(12, 2, 65, 66, 255);
    datagram[243] = 67;
    expect(option(read(datagram), 12)).toBe('4143');
    expect(read(datagram).option(12)?.buffer).toBe(datagram.buffer);
  });

  it('finds options after pads of one byte each (npm dhcp skips two bytes)', () => {
    expect(read(withOptions(0, 50, 4, 10, 0, 0, 1, 0, 0, 53, 1, 3, 255)).u32(50)).toBe(0x0a000001);
    expect(read(withOptions(0, 0, 0, 53, 1, 3, 255)).messageType).toBe(3);
  });

  it('stops at the end option', () => {
    expect(read(withOptions(255, 12, 200)).has(12)).toBe(false);
  });

  it('accepts a missing end option', () => {
    expect(read(withOptions(53, 1, 3)).messageType).toBe(3);
  });

  it('accepts an empty option', () => {
    const packet = read(withOptions(80, 0, 255));
    expect(packet.has(80)).toBe(true);
    expect(option(packet, 80)).toBe('');
  });

  it('returns undefined for an absent option', () => {
    const packet = read(withOptions(255));
    expect([packet.option(12), packet.u8(53), packet.u16(57), packet.u32(50), packet.messageType]).toEqual(
      Array.from({ length: 5 }),
    );
  });

  it('returns undefined for a number of another length, and reads the following options', () => {
    const packet = read(withOptions(57, 1, 5, 50, 3, 1, 2, 3, 53, 2, 1, 1, 12, 1, 65, 255));
    expect([packet.u16(57), packet.u32(50), packet.messageType]).toEqual([undefined, undefined, undefined]);
    expect(option(packet, 12)).toBe('41');
  });

  it('lists the codes in the order of their first occurrence', () => {
    expect(read(withOptions(53, 1, 1, 12, 1, 65, 53, 1, 2, 0, 6, 0, 255)).codes()).toEqual([53, 12, 6]);
  });

  it('keeps no option of the previous datagram', () => {
    const packet = new PacketView();
    packet.read(withOptions(12, 1, 65, 12, 1, 66, 52, 1, 3, 255));
    packet.read(withOptions(12, 1, 67, 255));
    expect(option(packet, 12)).toBe('43');
    expect(packet.codes()).toEqual([12]);
  });
});

describe('PacketView: split options (RFC 3396)', () => {
  it('joins the pieces', () => {
    const packet = read(withOptions(12, 1, 65, 53, 1, 1, 12, 2, 66, 67, 255));
    expect(option(packet, 12)).toBe('414243');
    expect(packet.messageType).toBe(1);
  });

  it('joins pieces of more than 255 bytes in total', () => {
    const long = Array.from({ length: 255 }, () => 7);
    expect(read(withOptions(119, 255, ...long, 119, 3, 1, 2, 3, 255)).option(119)).toHaveLength(258);
  });

  it('reads a number from the first piece if that has the length', () => {
    expect(read(withOptions(53, 1, 1, 53, 1, 2, 255)).messageType).toBe(1);
  });

  it('does not compare only the first piece', () => {
    const packet = read(withOptions(55, 1, 1, 55, 1, 3, 255));
    expect(packet.equals(55, Uint8Array.of(1))).toBe(false);
    expect(read(withOptions(55, 1, 1, 255)).equals(55, Uint8Array.of(1))).toBe(true);
  });
});

describe('PacketView: option overload (option 52)', () => {
  it.each([
    [1, '41', undefined],
    [2, undefined, '42'],
    [3, '41', '42'],
    [0, undefined, undefined],
    [4, undefined, undefined],
  ])('value %i selects the fields with options', (overload, inFile, inSname) => {
    const packet = read(withFields({ file: [12, 1, 65, 255], sname: [15, 1, 66, 255] }, 52, 1, overload, 255));
    expect(option(packet, 12)).toBe(inFile);
    expect(option(packet, 15)).toBe(inSname);
    expect(packet.file).toHaveLength((overload & 1) === 1 && overload < 4 ? 0 : 4);
    expect(packet.sname).toHaveLength((overload & 2) === 2 && overload < 4 ? 0 : 4);
  });

  it('reads options, then file, then sname', () => {
    const packet = read(
      withFields({ file: [12, 1, 66, 255], sname: [12, 1, 67, 255] }, 52, 1, 3, 53, 1, 1, 12, 1, 65, 255),
    );
    expect(option(packet, 12)).toBe('414243');
    expect(packet.codes()).toEqual([52, 53, 12]);
  });

  it('ignores option 52 in these fields', () => {
    expect(read(withFields({ file: [52, 1, 3, 255], sname: [12, 1, 65] }, 52, 1, 1, 255)).has(12)).toBe(false);
  });

  it('stops at the end of each field', () => {
    const file = [...Array.from({ length: 126 }, () => 0), 12, 1];
    expect(new PacketView().read(withFields({ file }, 52, 1, 1, 255))).toBe(
      'option 12 in file needs 1 bytes, there are 0',
    );
    expect(new PacketView().read(withFields({ sname: file.slice(64) }, 52, 1, 2, 255))).toBe(
      'option 12 in sname needs 1 bytes, there are 0',
    );
  });

  it('ignores an empty option 52', () => {
    expect(read(withFields({ file: [12, 1, 65] }, 52, 0, 3, 1, 1, 255)).has(12)).toBe(false);
  });
});

describe('PacketView: invalid datagrams', () => {
  it.each<[string, Buffer, string]>([
    ['empty', Buffer.alloc(0), 'op is cut off: 0 of 240 bytes'],
    ['one byte short of options', message('discover').subarray(0, 239), 'cookie is cut off: 239 of 240 bytes'],
    ['cut in the hardware address', message('discover').subarray(0, 30), 'chaddr is cut off: 30 of 240 bytes'],
    ['an option without length', withOptions(53, 1, 1, 50), 'option 50 in options is cut off before its length'],
    ['an option without all of its value', withOptions(50, 4, 1), 'option 50 in options needs 4 bytes, there are 1'],
  ])('names the invalid field: %s', (_name, datagram, fault) => {
    expect(new PacketView().read(datagram)).toBe(fault);
  });

  it('takes at most one step per byte', () => {
    const packet = new PacketView();
    packet.read(withOptions(...Array.from({ length: 60_000 }, () => 0)));
    expect(packet.steps).toBe(60_000);
    packet.read(withOptions(...Array.from({ length: 30_000 }, () => [12, 0]).flat()));
    expect(packet.steps).toBe(30_000);
    expect(packet.option(12)).toHaveLength(0);
  });
});

describe('PacketView: comparison without a copy', () => {
  const packet = read(message('discover', { [OPTION.vendorClass]: Buffer.from('PXEClient:Arch:00000') }));

  it.each([
    ['PXEClient', true],
    ['', true],
    ['HTTPClient', false],
    ['PXEClient:Arch:00000:UNDI', false],
  ])('startsWith %s: %o', (prefix, expected) => {
    expect(packet.startsWith(OPTION.vendorClass, Buffer.from(prefix))).toBe(expected);
  });

  it('returns the same hash for the same value', () => {
    const other = read(message('request', { [12]: Buffer.from('PXEClient:Arch:00000') }));
    expect(other.hash(12)).toBe(packet.hash(OPTION.vendorClass));
    expect(packet.macAddress).toBe(MAC);
  });
});
